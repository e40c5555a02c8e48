// `npm run test:kafka [-- --quick] [--failures N] [--seed N] [--only fencing,kills,brokers,once] [--report]`: workers of `firstseen kafka` and brokers that are
// killed and paused, against one process over the same input. With `--report`, writes what was found into docs/KAFKA-FAILURES.md. The last line is
// `N passed, N failed, N skipped`.

import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { runTests } from '../tools/nodetests.mjs';
import { beginReport } from '../tools/report.mjs';

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean' },
    report: { type: 'boolean' },
    failures: { type: 'string' },
    seed: { type: 'string' },
    only: { type: 'string' },
  },
});
const page = fileURLToPath(new URL('../docs/KAFKA-FAILURES.md', import.meta.url));

if (values.quick) process.env.KAFKA_QUICK = 'yes';
if (values.failures) process.env.KAFKA_FAILURES = values.failures;
if (values.seed) process.env.KAFKA_SEED = values.seed;
const writeReport = values.report ? beginReport(page) : undefined;

const groups = ['fencing', 'kills', 'brokers', 'once'];
const chosen = values.only?.split(',') ?? groups;
runTests(
  import.meta.url,
  groups.filter((name) => chosen.includes(name)),
  writeReport,
);
