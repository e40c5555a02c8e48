// What a server has acknowledged, it has after a kill, and after a loss of power. Servers with a defect must fail.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { tell } from '../../tools/report.mjs';
import { defects } from './support/defects.mjs';
import { killAgainAndAgain } from './support/kills.mjs';
import { asked, onlyLinux } from './support/options.mjs';
import { remove, withDefect } from './support/server.mjs';

/** A defect is found after few kills. */
const MAX_KILLS_OF_DEFECT = 10;

function told(counts) {
  return [...counts].map(([name, count]) => `${count} ${name}`).join(', ');
}

describe('a server that is killed', { skip: onlyLinux }, () => {
  for (const [name, share, hasPowerLoss] of [
    ['has what it acknowledged', 0.6, false],
    ['has what it acknowledged when its machine loses power', 0.4, true],
  ]) {
    const kills = Math.round(asked.kills * share);
    test(`${name}, after ${kills} kills`, async () => {
      const { counts, acknowledged, differences } = await killAgainAndAgain({ kills, seed: asked.seed, hasPowerLoss });
      tell(
        `${kills} kills${hasPowerLoss ? ' with loss of power' : ''}`,
        `${told(counts)}; ${acknowledged} keys acknowledged`,
      );
      assert.deepEqual(differences, []);
    });
  }

  for (const [name, { kills, ...defect }] of Object.entries(defects)) {
    test(`is found out if ${name}`, async () => {
      const program = withDefect(defect);
      try {
        const options = { ...kills, kills: MAX_KILLS_OF_DEFECT, seed: asked.seed, program };
        const { counts, differences } = await killAgainAndAgain(options);
        tell(`defect: ${name}`, `found after ${told(counts)}`);
        assert.notDeepEqual(differences, []);
      } finally {
        remove(program);
      }
    });
  }
});
