// Measuring by turns: in every round each contender has one turn, and the order moves on by one from round to round, so that
// what slows the machine for a while slows all of them alike.

/**
 * Seconds of each contender, one number a round.
 * @param {readonly {name: string, turn: () => number}[]} contenders `turn` does the work once and returns its seconds
 * @param {number} rounds
 * @returns {Record<string, number[]>}
 */
export function takeTurns(contenders, rounds) {
  const seconds = Object.fromEntries(contenders.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (let place = 0; place < contenders.length; place++) {
      const { name, turn } = contenders[(round + place) % contenders.length];
      seconds[name].push(turn());
    }
  }
  return seconds;
}

/** @param {readonly number[]} values */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/**
 * How many times as fast as the second the first is: the median of the ratios of each round, in which both ran close to
 * each other.
 * @param {readonly number[]} seconds
 * @param {readonly number[]} otherSeconds
 */
export function medianSpeedRatio(seconds, otherSeconds) {
  return median(seconds.map((value, round) => otherSeconds[round] / value));
}

/** Seconds that `work` takes. */
export function timed(work) {
  const startedMilliseconds = performance.now();
  work();
  return (performance.now() - startedMilliseconds) / 1000;
}
