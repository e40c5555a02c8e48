// Streams of the comparison with rivals: elements, their truth, and the time of each.

import { generator } from '../../tools/support/random.mjs';
import { realStream } from './realstreams.mjs';
import { recencyStream, uniformStream } from './streams.mjs';

/** A window in time, in milliseconds. */
export const WINDOW_MILLISECONDS = 60_000;
/** Elements arrive at multiples of this time, as in a log whose clock is coarse. */
const TICK_MILLISECONDS = 25;
/** The length of a stream in windows. */
const LENGTH = 3;
/** Of the elements, those that repeat one of the window. */
const REPEATED_SHARE = 0.1;
/** The rate of arrivals in every second window, as a part of the rate in the others. */
const QUIET_RATE = 1 / 4;

/** Times of arrival: a window at the full rate, a quiet one, and so on. */
function burstTimes(count, elementsPerWindow) {
  const times = new Float64Array(count);
  let time = 0;
  for (let i = 0; i < count; i++) {
    const isQuiet = Math.floor(time / WINDOW_MILLISECONDS) % 2 === 1;
    time += WINDOW_MILLISECONDS / elementsPerWindow / (isQuiet ? QUIET_RATE : 1);
    times[i] = TICK_MILLISECONDS * Math.floor(time / TICK_MILLISECONDS);
  }
  return times;
}

/**
 * Elements that are new, except for a tenth that repeat one of the window for the first time. So an answer is right or wrong
 * whether a detector counts the window from the last occurrence, or from the last one that it added.
 */
function windowStream({ count, window, seed, times }) {
  const next = generator(seed);
  const below = (limit) => Math.floor((next() / 2 ** 32) * limit);
  const numbers = new Uint32Array(count);
  const isDuplicate = new Uint8Array(count);
  const isOnce = new Uint8Array(count);
  let distinct = 0;
  let oldest = 0;
  for (let i = 0; i < count; i++) {
    while (times ? times[i] - times[oldest] > WINDOW_MILLISECONDS : i - oldest > window) oldest++;
    const from = oldest + below(i - oldest);
    if (i > 0 && next() < REPEATED_SHARE * 2 ** 32 && isOnce[from] === 1) {
      numbers[i] = numbers[from];
      isDuplicate[i] = 1;
      isOnce[from] = 0;
    } else {
      numbers[i] = distinct++;
      isOnce[i] = 1;
    }
  }
  return { numbers, isDuplicate, times };
}

const makers = {
  recency: ({ window, seed }) => recencyStream({ count: LENGTH * window, window, seed }),
  uniform: ({ window, seed }) => uniformStream({ count: LENGTH * window, distinctShare: 0.6, seed }),
  elements: ({ window, seed }) => windowStream({ count: LENGTH * window, window, seed }),
  time({ window, seed }) {
    const count = LENGTH * window;
    return windowStream({ count, window, seed, times: burstTimes(count, window) });
  },
  real: realStream,
};

/** Streams that are kept: those of all seeds, and that of the search. */
const MAX_STREAMS = 11;

const made = new Map();

/**
 * The stream of a kind, a window and a seed, or of a real source. The last ones are kept.
 * @param {{kind: keyof typeof makers, window?: number, seed?: number, source?: object, count?: number}} spec
 */
export function rivalStream(spec) {
  const key = JSON.stringify(spec);
  const stream = made.get(key) ?? makers[spec.kind](spec);
  made.set(key, stream);
  if (made.size > MAX_STREAMS) made.delete(made.keys().next().value);
  return stream;
}

/** The first element that counts: in a window, errors are counted once it is full. */
export function countedFrom({ kind, window }) {
  return kind === 'elements' || kind === 'time' ? 1.5 * window : 0;
}
