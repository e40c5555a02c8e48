// `npm run test:failures [-- --quick] [--kills N] [--seed N] [--only kills,disk,clock,connections,fuzz] [--report]`: kills servers, cuts off
// their power, fills their disk, and sends them what no client should. With `--report`, writes what was found into docs/FAILURES.md. The last line is
// `N passed, N failed, N skipped`.

import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { runTests } from '../tools/nodetests.mjs';
import { beginReport } from '../tools/report.mjs';

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean' },
    report: { type: 'boolean' },
    kills: { type: 'string' },
    seed: { type: 'string' },
    only: { type: 'string' },
  },
});
const page = fileURLToPath(new URL('../docs/FAILURES.md', import.meta.url));

if (values.quick) process.env.FAILURES_QUICK = 'yes';
if (values.kills) process.env.FAILURES_KILLS = values.kills;
if (values.seed) process.env.FAILURES_SEED = values.seed;
const writeReport = values.report ? beginReport(page) : undefined;

const groups = ['kills', 'disk', 'clock', 'connections', 'fuzz'];
const chosen = values.only?.split(',') ?? groups;
runTests(
  import.meta.url,
  groups.filter((name) => chosen.includes(name)),
  writeReport,
);
