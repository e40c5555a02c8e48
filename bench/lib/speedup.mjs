// The target of a speed-up by two threads.

/** The share of what two processes reach that is enough where the machine gives less. */
const MIN_SHARE = 0.9;

/** At least `least`, or a share of the speed-up by two processes. */
export function speedupTarget(least, ofProcesses) {
  return { bound: 'least', value: Number(Math.min(least, MIN_SHARE * ofProcesses).toFixed(2)) };
}
