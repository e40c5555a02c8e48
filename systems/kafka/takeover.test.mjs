// A new group that takes over from an old one whose detector is full, or that is killed: each record is emitted by one of the two, whenever the
// new one is killed, and whoever of the old one starts again.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { randomOf } from '../support/random.mjs';
import { defectsOfTakeovers } from './support/defects.mjs';
import { expectFound, expectSame, refusalOf } from './support/expecting.mjs';
import { asked, skips } from './support/options.mjs';
import { endlessLoad, withRun } from './support/running.mjs';
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
