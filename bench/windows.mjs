// `npm run windows`: what pocketwindow does not find when its window is too large for the memory, and what the families with a window
// keep in the same memory. Prints Markdown.
//   --write   also writes it into docs/ALGORITHMS.md

import { readFileSync, writeFileSync } from 'node:fs';
import { create } from 'firstseen';
import { readArguments } from '../tools/arguments.mjs';
import { replaceBetween } from '../tools/markers.mjs';
import { median } from '../tools/support/median.mjs';
import { describeMachine, machineText } from './lib/machine.mjs';
import { tableText } from './lib/table.mjs';

const documentUrl = new URL('../docs/ALGORITHMS.md', import.meta.url);
const MEMORY_BYTES = 2 ** 20;
const ROOM_SEEDS = [1, 2];
const ROOM_WINDOWS = 4;
/** How often in a window its elements are looked up. */
const LOOKS_PER_WINDOW = 7;
const BATCH_ELEMENTS = 256;
/** Observed for the speed: several windows, so that each detector is in its lasting state. */
const SPEED_ELEMENTS = 4_000_000;
const SPEED_ROUNDS = 5;

/** Elements from number `first` of a sequence without repeats. */
function newElements(first, count) {
  const odd = 0x9e3779b97f4a7c15n;
  return BigUint64Array.from({ length: count }, (_, i) => BigInt.asUintN(64, BigInt(first + i + 1) * odd));
}

/** The share of the elements in a window of this number of milliseconds, one in each, that is not found. */
async function missingShare(parameters, window, seed) {
  const detector = await create({
    ...{ algorithm: 'pocketwindow', memory: MEMORY_BYTES, parameters, seed },
    window: `${window}ms`,
    clock: 'manual',
  });
  const looks = { tested: 0, found: 0 };
  const lookEvery = BATCH_ELEMENTS * Math.ceil(window / LOOKS_PER_WINDOW / BATCH_ELEMENTS);
  for (let count = 0; count < ROOM_WINDOWS * window; count += BATCH_ELEMENTS) {
    detector.observeBatch(newElements(count, BATCH_ELEMENTS));
    detector.advance(count + BATCH_ELEMENTS);
    if (count < 2 * window || count % lookEvery > 0) continue;
    const verdicts = detector.testBatch(newElements(count + BATCH_ELEMENTS - window, window));
    looks.tested += window;
    for (const verdict of verdicts) looks.found += verdict;
  }
  return 1 - looks.found / looks.tested;
}

async function roomRow(r) {
  const { parameters } = (await create({ algorithm: 'pocketwindow', memory: MEMORY_BYTES, parameters: { r } })).stats();
  const { k, W } = parameters;
  const shares = [];
  for (const share of [1, 1.05, 1.1, 1.2, 1.5]) {
    let sum = 0;
    for (const seed of ROOM_SEEDS) sum += await missingShare({ r, k }, Math.round(share * W), seed);
    shares.push(sum / ROOM_SEEDS.length);
  }
  return [`r=${r} k=${k}`, String(W), ...shares.map((share) => `${Number((100 * share).toPrecision(2))} %`)];
}

const contenders = [0.01, 1e-4, 1e-6].flatMap((fpr) =>
  [
    ['apbf', 'blocked'],
    ['apbf', 'classic'],
    ['pocketwindow', 'blocked'],
  ].map(([algorithm, layout]) => ({ algorithm, layout, fpr })),
);

async function memoryRows() {
  const detectors = [];
  for (const options of [...contenders, { algorithm: 'exactwindow' }])
    detectors.push(await create({ memory: MEMORY_BYTES, seed: 1, ...options }));
  const elements = newElements(0, SPEED_ELEMENTS);
  for (const detector of detectors) detector.observeBatch(elements);
  const times = detectors.map(() => []);
  for (let round = 0; round < SPEED_ROUNDS; round++) {
    const fresh = newElements((round + 1) * SPEED_ELEMENTS, SPEED_ELEMENTS);
    for (const [i, detector] of detectors.entries()) {
      const before = performance.now();
      detector.observeBatch(fresh);
      times[i].push(performance.now() - before);
    }
  }
  return detectors.map((detector, i) => {
    const { parameters, algorithm, layout } = detector.stats();
    const { band } = detector.settings.parameters;
    return [
      algorithm,
      layout,
      parameters.FPR === undefined ? '0' : String(contenders[i].fpr),
      String(band.fromElements),
      String(Number((band.toElements / band.fromElements - 1).toFixed(2))),
      (SPEED_ELEMENTS / 1000 / median(times[i])).toFixed(1),
    ];
  });
}

const { values } = readArguments({ options: { write: { type: 'boolean', default: false } } });
const rooms = [];
for (const r of [8, 13, 18, 22]) rooms.push(await roomRow(r));
const room = tableText(['pockets', 'largest window', '1', '1.05', '1.1', '1.2', '1.5'], rooms);
const memory = [
  machineText(describeMachine()),
  tableText(['family', 'layout', 'FPR at most', 'window, elements', 'slack', 'new elements, M/s'], await memoryRows()),
].join('\n\n');
console.log([room, memory].join('\n\n'));
if (values.write) {
  const document = replaceBetween(readFileSync(documentUrl, 'utf8'), 'pocketwindow-room', room);
  writeFileSync(documentUrl, replaceBetween(document, 'pocketwindow-memory', memory));
}
