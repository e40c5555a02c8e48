// A new group that takes over from an old one whose detector is full, or that is killed: each record is emitted by one of the two, whenever the
// new one is killed, and whoever of the old one starts again.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { tell } from '../../tools/report.mjs';
import { randomOf } from '../support/random.mjs';
import { defectOfResets, defectsOfTakeovers } from './support/defects.mjs';
import { expectFound, expectNone, expectSame, refusalOf } from './support/expecting.mjs';
import { asked, skips } from './support/options.mjs';
import { endlessLoad, withRun } from './support/running.mjs';
import { differencesAfter, MINUTE_MILLISECONDS } from './support/stages.mjs';
import { startedFor } from './support/started.mjs';

/** So many identifiers that the old group has no room for all of them, and the new one has. */
const KEYS = 16_000;
const MEMORY = 2 ** 22;
const EXACT = { algorithm: 'exact', memory: MEMORY };
const WINDOW = { algorithm: 'exactwindow', window: '20s', memory: MEMORY };
const MAX_MOMENT_MILLISECONDS = 6000;
/** Kills of the new group, at any moment of its start. */
const KILLS = 2;
/** Within this time it has taken over, after the session of a member of the old group. */
const TAKEN_MILLISECONDS = 20_000;
const load = { ...endlessLoad, keys: KEYS, early: 0 };
/** A window that is so short that identifiers are forgotten and seen again. */
const cases = [
  { what: 'a detector that is full', detector: EXACT, flags: [], isFull: true },
  { what: 'a window', detector: WINDOW, flags: ['--window', WINDOW.window], isTimed: true },
];

const IDENTIFIERS = 3000;
const TIMES = ['--algorithm', 'exactwindow', '--window', '5h', '--memory', '4MiB'];
/** They are within the window when it is set back, and no more some minutes later. */
const BEFORE_MINUTES = -290;
/** The old group takes records that are so far ahead for timely. Brokers take what is dated up to an hour ahead. */
const AHEAD_MINUTES = 50;
/** Records after the takeover are ahead by less than the default of `--max-lead`. */
const AFTER_MINUTES = 20;

/**
 * Records and workers of an old group whose window was ahead and was set back to the clock, and of a new group that is killed. What was ahead
 * counts as seen when the window was set back. Who does not know that takes it for early, seen with the records before.
 * @returns `stages` and `wanted` as of `differencesAfter`
 */
function setBackAndTaken(name) {
  const now = Date.now();
  const at = (kind, minutes) =>
    Array.from({ length: IDENTIFIERS }, (_, i) => ({ id: `${kind} ${i}`, time: now + minutes * MINUTE_MILLISECONDS }));
  const group = `${name}-new`;
  const taking = ['--from-group', name];
  return {
    stages: [
      { records: [...at('before', BEFORE_MINUTES), ...at('ahead', AHEAD_MINUTES)], flags: ['--max-lead', '2h'] },
      { records: at('between', 0), flags: ['--reset-clock'] },
      { records: [...at('between', 0), ...at('ahead', AFTER_MINUTES)], group, flags: taking },
      { records: [...at('after', AFTER_MINUTES), ...at('ahead', AFTER_MINUTES)], group, flags: taking },
    ],
    wanted: ['before', 'ahead', 'between', 'after'].flatMap((kind) => at(kind, 0).map(({ id }) => [id, 1])),
  };
}

describe('a new group', { skip: skips.inFull }, () => {
  const started = startedFor();

  const taking = ({ detector, flags, isTimed }, options, work) =>
    withRun({ ...started, load, detector, flags, isTimed, ...options }, work);

  /** A worker of the group that takes over. */
  const startNew = (run) =>
    run.start('a', { group: `${run.group}-new`, more: ['--from-group', run.group, '--memory', String(4 * MEMORY)] });

  /** Ends the old group: by its detector, which is full, or by a kill. */
  async function endOld(run, { isFull, memory }) {
    const old = run.start('a', memory ? { more: ['--memory', String(4 * MEMORY)] } : {});
    if (isFull) assert.match(await refusalOf(old), /is full: .*another --group with --from-group/);
    else {
      await run.works(old);
      await sleep(MAX_MOMENT_MILLISECONDS / 2);
    }
    await run.kill(old);
  }

  /** Starts a worker of the old group again, until it works or has ended. @returns what it says */
  async function startOldAgain(run, { isFull }) {
    const old = run.start('b', isFull ? {} : { more: ['--memory', String(4 * MEMORY)] });
    // It has the partitions when the session of the member that has taken over is over.
    await run.works(old).catch(() => undefined);
    await run.kill(old);
    return old.output;
  }

  /** Kills the new group after each of some moments, and starts the old one in between. @returns the times that it was refused */
  async function takeThroughKills(run, one, moments) {
    let refusals = 0;
    for (const milliseconds of moments) {
      const worker = startNew(run);
      await sleep(milliseconds);
      await run.kill(worker);
      if (/has taken over the partition/.test(await startOldAgain(run, one))) refusals++;
    }
    await run.works(startNew(run));
    return refusals;
  }

  /** Moments at which the start of the new group may be anywhere, and one at which it has taken over. */
  function momentsOf() {
    const random = randomOf(asked.seed);
    return [...Array.from({ length: KILLS }, () => random() * MAX_MOMENT_MILLISECONDS), TAKEN_MILLISECONDS];
  }

  for (const one of cases) {
    test(`goes on where the old one has stopped, after ${one.what}`, () =>
      taking(one, {}, async (run) => {
        await endOld(run, { ...one, memory: !one.isFull });
        const refusals = await takeThroughKills(run, one, momentsOf());
        assert.match(await startOldAgain(run, one), /has taken over the partition/);
        await expectSame(
          `a new group after ${one.what}, killed ${KILLS + 1} times, the old one refused ${refusals + 1} times`,
          run,
        );
      }));
  }

  /** Runs the old group and the new one. @returns as of `differencesAfter`, and the number of records */
  async function differencesAfterReset(name, main = started.main) {
    const { stages, wanted } = setBackAndTaken(name);
    const found = await differencesAfter({ started: { ...started, main }, name, flags: TIMES, stages, wanted });
    return { ...found, read: stages.flatMap(({ records }) => records).length };
  }

  test('goes on where the old one has stopped, after its window was set back', async () => {
    const { differences, read } = await differencesAfterReset('takeover-reset');
    tell('a new group after a window that was set back', `${read} records, ${differences.length} differences`);
    expectNone(differences);
  });

  test('is found out if it is not noted that the window was set back', () =>
    expectFound('the pointers do not note that a window was set back', {
      defect: defectOfResets,
      async work(main) {
        const found = await differencesAfterReset('takeover-reset-defect', main);
        assert.equal(found.differences[0], 'the identifier ahead 0 was emitted 2 times, not 1');
        return found;
      },
      foundText: ({ differences }) => `found: ${differences.length} differences`,
    }));

  for (const [name, defect] of Object.entries(defectsOfTakeovers)) {
    test(`is found out if ${name}`, () =>
      expectFound(name, {
        defect,
        work: (main) =>
          taking(cases[1], { main }, async (run) => {
            await endOld(run, { memory: true });
            await takeThroughKills(run, cases[1], [TAKEN_MILLISECONDS]);
            return run.finish();
          }),
        foundText: ({ differences }) => `found: ${differences.length} differences`,
      }));
  }
});
