// Keys that are parts of a buffer, through observeSpans, observeMany and single calls of observe.

import { create } from 'firstseen';
import { median } from '../tools/support/median.mjs';
import { generator } from '../tools/support/random.mjs';
import { takeTurns, timed } from './lib/rounds.mjs';
import { row } from './lib/table.mjs';

/** The most time of a batch, as a share of that of single calls. */
const TARGET = 0.25;
const SEED = 5;
/** Turns before the measured ones, in which the functions are compiled. */
const WARM_ROUNDS = 8;

/** Bytes of a key in a buffer, and keys of a call, as in the requests of a server. */
const SPAN_BYTES = 16;
const KEYS_PER_CALL = 100;

/** Keys of 16 bytes in a buffer, with the bytes of a protocol between them. */
async function measureMemory({ memory, callsPerTurn, rounds }) {
  const next = generator(SEED);
  const bytes = Uint8Array.from({ length: KEYS_PER_CALL * (SPAN_BYTES + 8) }, () => next() & 0xff);
  const starts = Uint32Array.from({ length: KEYS_PER_CALL }, (_, i) => i * (SPAN_BYTES + 8) + 8);
  const ends = starts.map((start) => start + SPAN_BYTES);
  const verdicts = new Uint8Array(KEYS_PER_CALL);
  const words = new Uint32Array(bytes.buffer);
  const parts = () => Array.from(starts, (start, i) => bytes.subarray(start, ends[i]));
  const [spans, many, single] = await Promise.all([1, 2, 3].map(() => create({ memory })));
  const contenderOf = (name, work) => ({
    name,
    turn: () =>
      timed(() => {
        for (let call = 0; call < callsPerTurn; call++) {
          // Other keys in each call: a word of each is drawn.
          for (let i = 0; i < KEYS_PER_CALL; i++) words[i * 6 + 2] = next();
          work();
        }
      }),
  });
  const seconds = takeTurns(
    [
      contenderOf('spans', () => spans.observeSpans(bytes, starts, ends, KEYS_PER_CALL, verdicts)),
      contenderOf('many', () => many.observeMany(parts(), verdicts)),
      contenderOf('single', () => {
        for (const part of parts()) single.observe(part);
      }),
      contenderOf('nothing', () => undefined),
    ],
    WARM_ROUNDS + rounds,
  );
  const nanoseconds = (name) => {
    const own = median(seconds[name].slice(WARM_ROUNDS)) - median(seconds.nothing.slice(WARM_ROUNDS));
    return (own / (KEYS_PER_CALL * callsPerTurn)) * 1e9;
  };
  return row({
    name: `keys of ${SPAN_BYTES} bytes, ${memory}`,
    measured: nanoseconds('spans'),
    unit: 'ns',
    compared: { to: 'of observe(key)', value: nanoseconds('spans') / nanoseconds('single') },
    target: { bound: 'most', value: TARGET },
    beside: { 'observe(key), ns': nanoseconds('single'), 'observeMany(parts), ns': nanoseconds('many') },
  });
}

/** @returns {Promise<import('./lib/table.mjs').Section>} */
export async function measureSpans({ isQuick }) {
  const scale = isQuick ? { callsPerTurn: 10, rounds: 3 } : { callsPerTurn: 80, rounds: 64 };
  const rows = [];
  for (const memory of ['64KiB', '64MiB']) rows.push(await measureMemory({ memory, ...scale }));
  return {
    title: 'Keys in a buffer',
    text:
      `\`observeSpans\` of the default detector, ${KEYS_PER_CALL} keys of ${SPAN_BYTES} bytes a call, time for a key. Beside it, the same ` +
      `keys as parts of the buffer, which are made in the time. Medians of ${scale.rounds} rounds.`,
    rows,
  };
}
