// Workers that are killed or paused lose and repeat nothing. Workers with a defect must fail.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { tell } from '../tools/report.mjs';
import { defectsOfKills, defectsOfPauses } from './support/defects.mjs';
import { killAgainAndAgain, moments, pauseAgainAndAgain } from './support/failing.mjs';
import { asked, isQuick, needed, skips } from './support/options.mjs';
import { copyPackage } from './support/program.mjs';
import { startedFor } from './support/started.mjs';

/** Failures after which a defect has to be found. */
const [KILLS_OF_DEFECT, PAUSES_OF_DEFECT] = [3, 3];
const QUICK_DEFECT = 'the replay is left out';

function told(counts) {
  return [...counts].map(([name, count]) => `${count} ${name}`).join(', ');
}

function toldOf({ counts, compared }) {
  return `${told(counts)}; ${compared} records compared`;
}

describe('a worker', { skip: skips.always }, () => {
  const started = startedFor();

  const groups = isQuick ? [undefined] : Object.keys(moments);
  for (const moment of groups) {
    const { kills, seed } = asked;
    test(`that is killed ${kills} times ${moment ?? 'at different moments'} loses and repeats nothing`, async () => {
      const result = await killAgainAndAgain({ ...started, kills, seed, moment });
      tell(`${kills} kills ${moment ?? 'at different moments'}`, toldOf(result));
      assert.deepEqual(result.differences, []);
    });
  }

  test(`that is paused ${asked.pauses} times past the session timeout commits nothing of what it had`, async () => {
    const { pauses, seed } = asked;
    const result = await pauseAgainAndAgain({ ...started, pauses, seed });
    tell(`${pauses} pauses past the session timeout`, toldOf(result));
    assert.deepEqual(result.differences, []);
  });

  /** Runs workers with a defect, which has to be found. */
  async function expectFound(name, defect, work) {
    const { main, remove } = copyPackage({ ...needed, defect });
    try {
      const { counts, differences } = await work({ cluster: started.cluster, main, seed: asked.seed });
      tell(`defect: ${name}`, `found after ${told(counts)}`);
      assert.notDeepEqual(differences, []);
    } finally {
      remove();
    }
  }

  for (const [name, defect] of Object.entries(defectsOfKills)) {
    const skip = name === QUICK_DEFECT ? false : skips.inFull;
    test(`is found out if ${name}`, { skip }, () =>
      expectFound(name, defect, (options) => killAgainAndAgain({ ...options, kills: KILLS_OF_DEFECT })),
    );
  }

  for (const [name, defect] of Object.entries(defectsOfPauses)) {
    test(`is found out if ${name}`, { skip: skips.inFull }, () =>
      expectFound(name, defect, (options) => pauseAgainAndAgain({ ...options, pauses: PAUSES_OF_DEFECT })),
    );
  }
});
