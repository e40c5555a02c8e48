// Lines that are observed by HTTP.

import { median } from '../tools/support/median.mjs';
import { takeAsyncTurns } from './lib/rounds.mjs';
import { loadHttp, tell, withServers } from './lib/servers.mjs';
import { row } from './lib/table.mjs';

const NAME = 'firstseen, http';
export const POSTED = 'POST of';
const LINES = 10_000;
const REQUESTS = 2000;
/** Of a second of the processor. */
const MIN_MILLIONS = 10;

export function httpRows({ rounds, share, range }) {
  return withServers([NAME], undefined, async (servers) => {
    const [server] = servers;
    await tell(servers, `BF.RESERVE filter 0.001 ${2 * range} NONSCALING`);
    const asked = { detector: 'filter', requests: REQUESTS * share, lines: LINES, range };
    const turns = await takeAsyncTurns([{ name: NAME, turn: () => loadHttp(server, asked) }], rounds + 1);
    const millions = median(turns[NAME].slice(1).map((seconds) => 1e-6 / seconds));
    return [
      row({
        name: `${POSTED} ${LINES} lines, firstseen`,
        ...{ measured: millions, unit: 'M keys/CPU-s' },
        compared: { to: 'M keys/CPU-s', value: millions },
        target: { bound: 'least', value: MIN_MILLIONS },
      }),
    ];
  });
}
