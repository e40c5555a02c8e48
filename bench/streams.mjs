// Streams of the laboratory, generated with their truth, compared with the speed of detectors; and the limit that the
// memory of the truth sets: reads and writes of random lines in the same number of bytes.

import { Kernel, wholeKernel } from 'firstseen/internal';
import { openStream } from 'firstseen-lab';
import { median } from '../tools/support/median.mjs';
import { generator } from '../tools/support/random.mjs';
import { takeTurns, timed } from './lib/rounds.mjs';
import { row } from './lib/table.mjs';

const TARGET_PER_SECOND = 50e6;
const MEBIBYTE = 2 ** 20;
const SEED = 1;
const BATCH_ELEMENTS = 2 ** 14;
/** The first cases differ in the size of the universe, and so in the size of the bitmap that holds the truth. */
const UNIVERSES = 3;
/** More elements than this benchmark generates. */
const LENGTH_ELEMENTS = 2 ** 31;

/** @type {readonly {kind: string, settings: Record<string, number>, text: string}[]} */
const cases = [
  { kind: 'uniform', settings: { universeElements: 150e6 }, text: '150 million' },
  { kind: 'uniform', settings: { universeElements: 1e9 }, text: '1 billion' },
  { kind: 'uniform', settings: { universeElements: 4.7e9 }, text: '4.7 billion' },
  { kind: 'zipf', settings: { exponent: 0.8, universeElements: 150e6 }, text: 's = 0.8, 150 million' },
  { kind: 'zipf', settings: { exponent: 1, universeElements: 150e6 }, text: 's = 1, 150 million' },
  { kind: 'zipf', settings: { exponent: 1.5, universeElements: 150e6 }, text: 's = 1.5, 150 million' },
  { kind: 'numbered', settings: { universeElements: 150e6 }, text: '150 million' },
  { kind: 'recency', settings: { distinctShare: 0.5, windowElements: 1e6 }, text: 'W = 1 million' },
  { kind: 'drift', settings: { universeElements: 1e7, driftRate: 0.15 }, text: 'U = 10 million' },
  { kind: 'bursts', settings: { distinctShare: 0.25, activeElements: 1e6 }, text: 'A = 1 million' },
  { kind: 'adversarial', settings: { gapElements: 1e6 }, text: 'G = 1 million' },
];

/** A stream that generates `batches` batches per turn. */
async function openMaker({ kind, settings, text }, batches) {
  const spec = { kind, lengthElements: LENGTH_ELEMENTS, seed: SEED, settings };
  const stream = await openStream(spec, { identity: 'hashed', isByGap: false });
  const turn = () =>
    timed(() => {
      for (let batch = 0; batch < batches; batch++) void stream.next(stream.batchCapacity);
    });
  return { name: `${kind} ${text}`, truthBytes: stream.truthBytes, turn };
}

/** A region of memory in which a turn reads and writes the same number of random lines. */
async function openToucher(bytes, batches) {
  const kernel = await Kernel.create({ cellsBytes: bytes, module: await wholeKernel() });
  kernel.parameters.set([kernel.cellsOffset, kernel.cellsBytes]);
  const touch = kernel.exports.touchCacheLines;
  const next = generator(SEED);
  const words = new Uint32Array(kernel.bytes.buffer, kernel.fingerprints.byteOffset, 2 * kernel.batchCapacity);
  const turn = () => {
    let seconds = 0;
    for (let batch = 0; batch < batches; batch++) {
      for (let i = 0; i < words.length; i++) words[i] = next();
      seconds += timed(() => touch(words.byteOffset, kernel.batchCapacity, 1));
    }
    return seconds;
  };
  return { name: `random lines of ${Math.round(bytes / MEBIBYTE)} MiB`, truthBytes: bytes, turn };
}

/** @returns {Promise<import('./lib/table.mjs').Section>} */
export async function measureStreams({ isQuick }) {
  const { batches, warmUps, rounds } = isQuick
    ? { batches: 1, warmUps: 0, rounds: 3 }
    : { batches: 20, warmUps: 20, rounds: 25 };
  const makers = [];
  for (const each of cases) makers.push(await openMaker(each, batches));
  const touchers = [];
  for (const { truthBytes } of makers.slice(0, UNIVERSES)) touchers.push(await openToucher(truthBytes, batches));
  const contenders = [...makers, ...touchers];
  for (let turn = 0; turn < warmUps; turn++) for (const contender of contenders) contender.turn();
  const seconds = takeTurns(contenders, rounds);
  const elements = batches * BATCH_ELEMENTS;
  return {
    title: 'Streams of the laboratory',
    text:
      `One thread, elements with their truth, hashed, ${elements} a turn, median of ${rounds} rounds. Random lines cause only the ` +
      'memory traffic of the truth. The fastest turn, in M elements/s, shows the speed of an otherwise idle machine.',
    rows: contenders.map(({ name, truthBytes }, i) => {
      const perSecond = elements / median(seconds[name]);
      const measured = {
        name,
        measured: perSecond / 1e6,
        unit: 'M elements/s',
        beside: { 'fastest turn': elements / Math.min(...seconds[name]) / 1e6, 'truth, MiB': truthBytes / MEBIBYTE },
      };
      if (i >= makers.length) return row(measured);
      const compared = { to: 'of 50 M/s', value: perSecond / TARGET_PER_SECOND };
      return row({ ...measured, compared, target: { bound: 'least', value: 1 } });
    }),
  };
}
