// Workers that are killed or paused, or whose number changes, lose and repeat nothing, and go on within a time. Workers with a defect must fail.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { tell } from '../../tools/report.mjs';
import { median } from '../../tools/support/median.mjs';
import { defectsOfKills, defectsOfPauses } from './support/defects.mjs';
import { expectFound, expectNone } from './support/expecting.mjs';
import {
  changeAgainAndAgain,
  killAgainAndAgain,
  moments,
  pauseAgainAndAgain,
  takeOverAgainAndAgain,
  told,
} from './support/failing.mjs';
import { asked, isQuick, skips } from './support/options.mjs';
import { startedFor } from './support/started.mjs';

/** Failures after which a defect has to be found. */
const [KILLS_OF_DEFECT, PAUSES_OF_DEFECT] = [isQuick ? 4 : 12, 12];
/** A broker that looks so seldom ends no transaction by itself while a test runs. */
const HOUR_MILLISECONDS = 3_600_000;
const QUICK_DEFECT = 'the replay is left out';

function recoveryText({ recoveries, most }) {
  if (recoveries.length === 0) return '';
  const [middle, longest] = [median(recoveries), Math.max(...recoveries)].map((seconds) => seconds.toFixed(1));
  return `; committed outputs again after ${middle} s, at most ${longest} s of ${most} s`;
}

/** Expects an output without differences, and recoveries within their time. */
function expectExact(what, number, found) {
  const { counts, restarts, compared, differences, recoveries, most } = found;
  const restarted = restarts > 0 ? `; ${restarts} workers were started again` : '';
  tell(what, `${number} times: ${told(counts)}${restarted}${recoveryText(found)}; ${compared} records compared`);
  expectNone(differences);
  assert.deepEqual(
    recoveries.filter((seconds) => seconds > most),
    [],
  );
}

describe('a worker', { skip: skips.always }, () => {
  const started = startedFor();

  const groups = isQuick ? [undefined] : Object.keys(moments);
  for (const moment of groups) {
    const { kills, seed } = asked;
    test(`that is killed ${kills} times ${moment ?? 'at different moments'} loses and repeats nothing`, async () => {
      const found = await killAgainAndAgain({ ...started, kills, seed, moment });
      expectExact(`kills ${moment ?? 'at different moments'}`, kills, found);
    });
  }

  test(`that is paused ${asked.pauses} times past the session timeout commits nothing of what it had`, async () => {
    const { pauses, seed } = asked;
    const found = await pauseAgainAndAgain({ ...started, pauses, seed });
    expectExact('pauses past the session timeout', pauses, found);
  });

  test(`loses and repeats nothing when one becomes three, two and one ${asked.changes} times`, {
    skip: skips.inFull,
  }, async () => {
    const { changes, seed } = asked;
    const found = await changeAgainAndAgain({ ...started, changes, seed });
    expectExact('one worker, three, two and one', changes, found);
  });

  /** Expects that failures find a defect. */
  const expectFoundBy = (name, defect, fail) =>
    expectFound(name, {
      defect,
      work: (main) => fail({ ...started, main, seed: asked.seed }),
      foundText: ({ counts }) => `found after ${told(counts)}`,
    });

  for (const [name, defect] of Object.entries(defectsOfKills)) {
    const skip = name === QUICK_DEFECT ? false : skips.inFull;
    test(`is found out if ${name}`, { skip }, () =>
      expectFoundBy(name, defect, (options) => killAgainAndAgain({ ...options, kills: KILLS_OF_DEFECT })),
    );
  }

  for (const [name, defect] of Object.entries(defectsOfPauses)) {
    test(`is found out if ${name}`, { skip: skips.inFull }, () =>
      expectFoundBy(name, defect, (options) => pauseAgainAndAgain({ ...options, pauses: PAUSES_OF_DEFECT })),
    );
  }
});

describe('two workers, of which one is killed within a transaction', { skip: skips.inFull }, () => {
  const started = startedFor({
    settings: { 'transaction.abort.timed.out.transaction.cleanup.interval.ms': HOUR_MILLISECONDS },
  });

  test(`the other one ends the transaction ${asked.takeovers} times, and does not wait for the brokers`, async () => {
    const { takeovers } = asked;
    const found = await takeOverAgainAndAgain({ ...started, kills: takeovers });
    expectExact('kills within a transaction, and another worker goes on while brokers end none', takeovers, found);
  });
});
