// Measurements in turns: in every round each contender runs once, and the order rotates from round to round, so that a
// temporary slowdown of the machine affects all of them equally.

import { median } from '../../tools/support/median.mjs';

/** The contenders in the order of their turns. */
function* turnsOf(contenders, rounds) {
  for (let round = 0; round < rounds; round++) {
    for (let place = 0; place < contenders.length; place++) yield contenders[(round + place) % contenders.length];
  }
}

/**
 * The times of each contender in seconds, one number per round.
 * @param {readonly {name: string, turn: () => number}[]} contenders `turn` does the work once and returns its seconds
 * @param {number} rounds
 * @returns {Record<string, number[]>}
 */
export function takeTurns(contenders, rounds) {
  const seconds = Object.fromEntries(contenders.map(({ name }) => [name, []]));
  for (const { name, turn } of turnsOf(contenders, rounds)) seconds[name].push(turn());
  return seconds;
}

/**
 * As `takeTurns`, for turns that are asynchronous.
 * @param {readonly {name: string, turn: () => Promise<number>}[]} contenders
 * @param {number} rounds
 * @returns {Promise<Record<string, number[]>>}
 */
export async function takeAsyncTurns(contenders, rounds) {
  const seconds = Object.fromEntries(contenders.map(({ name }) => [name, []]));
  for (const { name, turn } of turnsOf(contenders, rounds)) seconds[name].push(await turn());
  return seconds;
}

/**
 * The speed of the first contender relative to the second: the median of the ratios of all rounds, because within a round
 * both ran at nearly the same time.
 * @param {readonly number[]} seconds
 * @param {readonly number[]} otherSeconds
 */
export function medianSpeedRatio(seconds, otherSeconds) {
  return median(seconds.map((value, round) => otherSeconds[round] / value));
}

/** The time that `work` takes, in seconds. */
export function timed(work) {
  const startedMilliseconds = performance.now();
  work();
  return (performance.now() - startedMilliseconds) / 1000;
}
