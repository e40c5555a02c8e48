// Records that are dated ahead, among records with the times of now, or before the first of them: the window does not move, and forgets nothing.
// A worker that starts again decides the same.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { tell } from '../../tools/report.mjs';
import { defectsOfTimes } from './support/defects.mjs';
import { expectFound, expectNone } from './support/expecting.mjs';
import { skips } from './support/options.mjs';
import { differencesAfter, MINUTE_MILLISECONDS } from './support/stages.mjs';
import { startedFor } from './support/started.mjs';

const WINDOW_MINUTES = 10;
/** Brokers take what is dated up to an hour ahead, unless a topic says otherwise. */
const AHEAD_MINUTES = 50;
const IDENTIFIERS = 3000;
/** The time over which they come first. */
const SPREAD_MINUTES = 15;
/** Each comes again within the window, and after any window that may still have it: then it counts as new. */
const AGAIN_MINUTES = [0, 5, 25];
const GIVEN_TIMES = 2;
/** The records after the one that is ahead, before the worker is killed. */
const BEFORE_KILL = 500;
/** They lose no new record by chance. */
const ALGORITHMS = { exactwindow: [], apbf: ['--fpr', '1e-9'] };

/** Records up to now, in the order of their times, with one in their midst that is ahead. They are in two parts: one before the kill, and one after it. */
function oneAhead() {
  const now = Date.now();
  const begin = now - (SPREAD_MINUTES + AGAIN_MINUTES.at(-1)) * MINUTE_MILLISECONDS;
  const between = (SPREAD_MINUTES * MINUTE_MILLISECONDS) / IDENTIFIERS;
  const records = Array.from({ length: IDENTIFIERS }, (_, id) =>
    AGAIN_MINUTES.map((minutes) => ({ id, time: Math.floor(begin + id * between + minutes * MINUTE_MILLISECONDS) })),
  ).flat();
  records.sort((one, other) => one.time - other.time);
  const middle = records.length / 2;
  records.splice(middle, 0, { id: 'ahead', time: now + AHEAD_MINUTES * MINUTE_MILLISECONDS });
  return {
    parts: [records.slice(0, middle + BEFORE_KILL), records.slice(middle + BEFORE_KILL)],
    wanted: [['ahead', 1], ...Array.from({ length: IDENTIFIERS }, (_, id) => [id, GIVEN_TIMES])],
    early: 1,
  };
}

/** Identifiers whose first times are ahead. The worker is killed before the first other record. Then they come again, within the window and after it. */
function firstAhead() {
  const now = Date.now();
  const identifiers = Array.from({ length: IDENTIFIERS }, (_, id) => id);
  const at = (minutes) => identifiers.map((id) => ({ id, time: now + minutes * MINUTE_MILLISECONDS }));
  const [, within, after] = AGAIN_MINUTES.map((minutes) => at(minutes - AGAIN_MINUTES.at(-1)));
  // The first other record gives the window its time.
  const first = { id: 'first', time: now - AGAIN_MINUTES.at(-1) * MINUTE_MILLISECONDS };
  return {
    parts: [at(AHEAD_MINUTES), [first, ...within, ...after]],
    wanted: [['first', 1], ...identifiers.map((id) => [id, GIVEN_TIMES])],
    early: IDENTIFIERS,
  };
}

const WINDOW = `a window of ${WINDOW_MINUTES} minutes`;
const AHEAD = `${AHEAD_MINUTES} minutes ahead`;
const cases = {
  'a record among others': { storyOf: oneAhead, row: `a record ${AHEAD} of ${WINDOW}` },
  'the first records': { storyOf: firstAhead, row: `the first records of ${WINDOW}, ${AHEAD}` },
};

describe('what is dated ahead', { skip: skips.inFull }, () => {
  const started = startedFor();

  /** Runs a worker over each part of a story. @returns as of `differencesAfter`, and the numbers of records, and of those that are early */
  async function differencesIn(storyOf, { name, main = started.main, algorithm }) {
    const { parts, wanted, early } = storyOf();
    const detector = ['--algorithm', algorithm, ...ALGORITHMS[algorithm], '--memory', '4MiB'];
    const flags = [...detector, '--window', `${WINDOW_MINUTES}m`];
    const stages = parts.map((records) => ({ records }));
    const found = await differencesAfter({ started: { ...started, main }, name, flags, stages, wanted });
    return { ...found, early, read: parts.flat().length };
  }

  for (const [what, { storyOf, row }] of Object.entries(cases)) {
    for (const algorithm of Object.keys(ALGORITHMS)) {
      test(`leaves a window of ${algorithm} as it is, with ${what}, also when it is read again`, async () => {
        const name = `times-${storyOf.name}-${algorithm}`;
        const { differences, workers, early, read } = await differencesIn(storyOf, { name, algorithm });
        tell(
          `${row}, and ${algorithm}`,
          `${read} records, ${differences.length} repeats that passed or new records that were lost`,
        );
        expectNone(differences);
        const [{ output, counted }] = workers;
        assert.match(
          output,
          /more than 1m ahead of this machine's clock: the record is compared, but does not move the window/,
        );
        assert.equal(counted.get('firstseen_kafka_untimely_records_total{time="early"}'), early);
      });
    }
  }

  test('is found out if a record moves the window', () =>
    expectFound('a record that is ahead moves the window', {
      defect: defectsOfTimes.moved,
      async work(main) {
        const found = await differencesIn(oneAhead, { name: 'times-moved', main, algorithm: 'exactwindow' });
        // Its window is ahead of the clock of the machine when it starts again.
        assert.match(found.differences.join(), /^a worker ended: .*E_CLOCK/);
        return found;
      },
      foundText: () => 'found: the next worker is refused, E_CLOCK',
    }));

  test('is found out if the window forgets the first records', () =>
    expectFound('a window forgets what came before its first time', {
      defect: defectsOfTimes.forgotten,
      async work(main) {
        const found = await differencesIn(firstAhead, { name: 'times-forgotten', main, algorithm: 'exactwindow' });
        assert.equal(found.differences[0], 'the identifier 0 was emitted 3 times, not 2');
        return found;
      },
      foundText: ({ differences }) => `found: ${differences.length} differences`,
    }));
});
