// Messages that hold many records: workers that are killed emit each message with its records that are new.

import { describe, test } from 'node:test';
import { tell } from '../../tools/report.mjs';
import { expectNone } from './support/expecting.mjs';
import { killAgainAndAgain, told } from './support/failing.mjs';
import { asked, skips } from './support/options.mjs';
import { endlessLoad } from './support/running.mjs';
import { startedFor } from './support/started.mjs';

/** Messages have this number of records on average. */
const RECORDS_OF_MESSAGE = 40;
const REPARTITION = 3;
const load = { ...endlessLoad, rate: endlessLoad.rate / RECORDS_OF_MESSAGE, scattered: 1 };
const cases = ['u64', 'ndjson'].flatMap((holds) => [
  { holds, what: `messages of ${holds}` },
  { holds, what: `messages of ${holds} that are cut`, repartition: REPARTITION },
]);

describe('a worker that is killed', { skip: skips.inFull }, () => {
  const started = startedFor();
  const kills = Math.ceil(asked.kills / cases.length);

  for (const { holds, what, repartition } of cases) {
    test(`emits the new records of ${what}`, async () => {
      const options = { ...started, kills, seed: asked.seed, holds, repartition };
      const { differences, compared, counts } = await killAgainAndAgain({
        ...options,
        load: { ...load, batch: holds },
      });
      expectNone(differences);
      tell(`kills, and ${what}`, `${kills} times: ${told(counts)}; ${compared} messages compared`);
    });
  }
});
