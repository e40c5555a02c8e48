// The families in which an element reads many lines, compared with the time allowed for a run of a billion elements.
// Families with a fixed number of elements are measured when they are full, because they are full during most of such a run.

import { median } from '../tools/support/median.mjs';
import { Contender } from './lib/contender.mjs';
import { takeTurns } from './lib/rounds.mjs';
import { row } from './lib/table.mjs';

const RUN_ELEMENTS = 1e9;
const RUN_SECONDS = { blocked: 240, classic: 360 };

/**
 * The number of elements that fill a detector, and the size of the universe from which they are drawn. Without a universe, all are
 * new.
 * A buffer filled with new elements has its entries in order of use, which is the fastest case. Repeats move one in eight entries
 * out of this order each time the buffer is refilled.
 * @type {readonly {algorithm: string, layout: 'blocked' | 'classic', fill?: (parameters: any) => number, universe?: (parameters: any) => number}[]}
 */
const cases = [
  { algorithm: 'buffer', layout: 'classic', fill: ({ C }) => 8 * C, universe: ({ C }) => 8 * C },
  { algorithm: 'fpbuffer', layout: 'classic', fill: ({ C }) => 8 * C, universe: ({ C }) => 8 * C },
  { algorithm: 'dsqf', layout: 'classic', fill: ({ B }) => 1.1 * B },
  { algorithm: 'sqf', layout: 'classic' },
  { algorithm: 'apbf', layout: 'classic' },
  { algorithm: 'apbf', layout: 'blocked' },
];

async function measureCase({ algorithm, layout, fill, universe }, { memoryBytes, elements, prefillElements, rounds }) {
  const contender = await Contender.open({ algorithm, layout, memory: memoryBytes }, elements);
  const { parameters } = contender.detector.stats();
  if (universe) contender.drawFrom(Math.floor(universe(parameters)));
  contender.prefill(fill?.(parameters) ?? prefillElements);
  const name = `${algorithm}, ${layout}, ${fill ? 'full' : 'nearly empty'}`;
  const seconds = takeTurns([{ name, turn: () => contender.observe() }], rounds);
  const perSecond = elements / median(seconds[name]);
  const due = RUN_ELEMENTS / RUN_SECONDS[layout];
  return row({
    name,
    measured: perSecond / 1e6,
    unit: 'M elements/s',
    compared: { to: `of ${(due / 1e6).toFixed(2)} M/s`, value: perSecond / due },
    target: { bound: 'least', value: 1 },
  });
}

/** @returns {Promise<import('./lib/table.mjs').Section>} */
export async function measureFull({ isQuick }) {
  const scale = isQuick
    ? { memoryBytes: 2 ** 20, elements: 2 ** 14, prefillElements: 2 ** 16, rounds: 3 }
    : { memoryBytes: 2 ** 29, elements: 2 ** 20, prefillElements: 2 ** 25, rounds: 9 };
  const rows = [];
  for (const entry of cases) rows.push(await measureCase(entry, scale));
  return {
    title: 'Detectors of many lines',
    text:
      `One thread, detectors of ${scale.memoryBytes / 2 ** 20} MiB, ${scale.elements} elements a turn, median of ${scale.rounds} ` +
      'rounds. The target is a run of a billion elements in six minutes, or in four for a blocked layout. For the buffers, ' +
      'elements are drawn from eight times as many as the buffers hold, and the same number of elements was observed before ' +
      `the measurement. For the others, all elements are new. A nearly empty detector holds ${scale.prefillElements} elements.`,
    rows,
  };
}
