// What is asked of the tests.

const { FAILURES_QUICK, FAILURES_KILLS, FAILURES_SEED } = process.env;

const quick = { kills: 10, fuzzInputs: 5000, halfOpen: 2000, slow: 20, stalls: false };
const long = { kills: 500, fuzzInputs: 1_000_000, halfOpen: 10_000, slow: 100, stalls: true };

export const asked = {
  ...(FAILURES_QUICK ? quick : long),
  ...(FAILURES_KILLS ? { kills: Number(FAILURES_KILLS) } : {}),
  seed: Number(FAILURES_SEED ?? 1),
};

/** The tests read what the system tells of processes. */
export const onlyLinux = process.platform === 'linux' ? false : 'needs Linux';
