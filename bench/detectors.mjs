// Detectors compared with the limit of the memory: a kernel that only reads and writes the same number of random
// 64-byte lines for each element, in the same amount of memory, from the same kind of list.

import { median } from '../tools/support/median.mjs';
import { Contender } from './lib/contender.mjs';
import { medianSpeedRatio, takeTurns } from './lib/rounds.mjs';
import { row } from './lib/table.mjs';

const TARGETS = { blocked: 0.6, classic: 0.5 };

/**
 * The parameters of each family, the number of lines that its classic layout touches per element, and optionally that of the blocked
 * layout if it is not 1, the name of the load after an endless stream, and the layouts to measure with their targets.
 * @type {readonly {algorithm: string, parameters: Record<string, number>, lines: (parameters: any) => number, blockedLines?: number, load?: string, targets?: Record<string, number>}[]}
 */
const cases = [
  { algorithm: 'bloom', parameters: { k: 2 }, lines: ({ k }) => k },
  { algorithm: 'bloom', parameters: { k: 7 }, lines: ({ k }) => k },
  { algorithm: 'sbf', parameters: { Max: 1, K: 2, P: 4 }, lines: ({ K }) => K + 1 },
  { algorithm: 'rsbf', parameters: { k: 2 }, lines: ({ k }) => 2 * k },
  { algorithm: 'bsbf', parameters: { k: 2 }, lines: ({ k }) => 2 * k },
  { algorithm: 'bsbfsd', parameters: { k: 2 }, lines: ({ k }) => k + 1 },
  { algorithm: 'rlbsbf', parameters: { k: 2 }, lines: ({ k }) => 2 * k },
  { algorithm: 'qht', parameters: {}, lines: () => 1, targets: { blocked: 0.75 } },
  { algorithm: 'qht', parameters: { s: 16 }, lines: () => 1, targets: { blocked: 0.75 } },
  { algorithm: 'pocket', parameters: {}, lines: () => 4, blockedLines: 4, load: 'full', targets: { blocked: 0.5 } },
];

function nameOf({ algorithm, parameters }, layout, load) {
  const values = Object.entries(parameters).map(([letter, value]) => `${letter} ${value}`);
  return `${[algorithm, ...values].join(' ')}, ${layout}, ${load}`;
}

function resultRow(name, seconds, elements, limit) {
  const measured = elements / median(seconds[name]) / 1e6;
  if (!limit) return row({ name, measured, unit: 'M elements/s' });
  const value = medianSpeedRatio(seconds[name], seconds[limit.name]);
  return row({
    name,
    measured,
    unit: 'M elements/s',
    compared: { to: `of touch, ${limit.lines} ${limit.lines === 1 ? 'line' : 'lines'}`, value },
    target: { bound: 'least', value: limit.target },
  });
}

async function measureCase(entry, limit, { memoryBytes, elements, prefillElements, rounds }) {
  const options = { algorithm: entry.algorithm, parameters: entry.parameters, memory: memoryBytes };
  const targets = entry.targets ?? TARGETS;
  const layouts = {};
  for (const layout of Object.keys(targets)) {
    layouts[layout] = await Contender.open({ ...options, layout }, elements);
    layouts[layout].prefill(prefillElements);
  }
  const lines = { blocked: entry.blockedLines ?? 1, classic: entry.lines(layouts.blocked.detector.stats().parameters) };
  const rows = [];
  for (const load of ['nearly empty', entry.load ?? 'half full']) {
    const turns = Object.keys(layouts).flatMap((layout) => [
      { name: nameOf(entry, layout, load), turn: () => layouts[layout].observe() },
      { name: `touch ${layout}`, turn: () => limit.touch(lines[layout]) },
    ]);
    if (load !== 'nearly empty') for (const contender of Object.values(layouts)) contender.fill();
    const seconds = takeTurns(turns, rounds);
    for (const [layout, target] of Object.entries(targets)) {
      const name = nameOf(entry, layout, load);
      rows.push(resultRow(name, seconds, elements, { name: `touch ${layout}`, lines: lines[layout], target }));
    }
  }
  return rows;
}

async function measureExact({ memoryBytes, elements, prefillElements, rounds }) {
  const exact = await Contender.open({ algorithm: 'exact', memory: memoryBytes }, elements);
  exact.prefill(prefillElements);
  const seconds = takeTurns([{ name: 'exact', turn: () => exact.observe() }], rounds);
  return resultRow('exact', seconds, elements);
}

function measureLimit(limit, { elements, rounds }) {
  const turns = [1, 2, 3, 4, 7].map((lines) => ({
    name: `touch, ${lines} ${lines === 1 ? 'line' : 'lines'}`,
    turn: () => limit.touch(lines),
  }));
  const seconds = takeTurns(turns, rounds);
  return turns.map(({ name }) => resultRow(name, seconds, elements));
}

/** @returns {Promise<import('./lib/table.mjs').Section>} */
export async function measureDetectors({ isQuick }) {
  const scale = isQuick
    ? { memoryBytes: 2 ** 24, elements: 2 ** 14, prefillElements: 2 ** 18, rounds: 3 }
    : { memoryBytes: 2 ** 29, elements: 2 ** 20, prefillElements: 2 ** 25, rounds: 9 };
  const limit = await Contender.open({ algorithm: 'bloom', memory: scale.memoryBytes }, scale.elements);
  limit.prefill(scale.prefillElements);
  const rows = measureLimit(limit, scale);
  for (const entry of cases) rows.push(...(await measureCase(entry, limit, scale)));
  rows.push(await measureExact(scale));
  return {
    title: 'Detectors',
    text:
      `One thread, random 64-bit fingerprints, detectors of ${scale.memoryBytes / 2 ** 20} MiB, ${scale.elements} elements a ` +
      `turn, median of ${scale.rounds} rounds. A nearly empty detector holds ${scale.prefillElements} elements.`,
    rows,
  };
}
