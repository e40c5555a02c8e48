// A new group that takes over from an old one whose detector is full, or that is killed: each record is given out by one of the two, whenever the
// new one is killed, and whoever of the old one starts again.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { randomOf } from '../failures/support/random.mjs';
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
const MOST_MOMENT_MILLISECONDS = 6000;
/** Kills of the new group, at any moment of its start. */
const KILLS = 3;
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
      await sleep(MOST_MOMENT_MILLISECONDS / 2);
    }
    await run.kill(old);
  }

  /** Kills the new group again and again, and starts the old one in between. @returns the times that it was refused */
  async function takeThroughKills(run, { isFull }) {
    const random = randomOf(asked.seed);
    let refusals = 0;
    for (let i = 0; i < KILLS; i++) {
      const worker = startNew(run);
      await sleep(random() * MOST_MOMENT_MILLISECONDS + (i === KILLS - 1 ? MOST_MOMENT_MILLISECONDS * 3 : 0));
      await run.kill(worker);
      const old = run.start('b', isFull ? {} : { more: ['--memory', String(4 * MEMORY)] });
      await sleep(MOST_MOMENT_MILLISECONDS);
      if (old.hasEnded && /has taken over the partition/.test(old.output)) refusals++;
      await run.kill(old);
    }
    await run.works(startNew(run));
    return refusals;
  }

  for (const one of cases) {
    test(`goes on where the old one has stopped, after ${one.what}`, () =>
      taking(one, {}, async (run) => {
        await endOld(run, { ...one, memory: !one.isFull });
        const refusals = await takeThroughKills(run, one);
        const last = run.start('b', one.isFull ? {} : { more: ['--memory', String(4 * MEMORY)] });
        assert.match(await refusalOf(last), /has taken over the partition/);
        await run.kill(last);
        await expectSame(
          `a new group after ${one.what}, killed ${KILLS} times, the old one refused ${refusals + 1} times`,
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
            await takeThroughKills(run, cases[1]);
            return run.finish();
          }),
        foundText: ({ differences }) => `found: ${differences.length} differences`,
      }));
  }
});
