// `npm run test:failures [-- --quick] [--kills N] [--seed N] [--only kills,disk,clock,connections,fuzz] [--report]`: kills servers, cuts off
// their power, fills their disk, and sends them what no client should. With `--report`, writes what was found into docs/FAILURES.md. The last line is
// `N passed, N failed, N skipped`.

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { runTests } from '../tools/nodetests.mjs';

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean' },
    report: { type: 'boolean' },
    kills: { type: 'string' },
    seed: { type: 'string' },
    only: { type: 'string' },
  },
});
const [BEGIN, END] = ['<!-- report:begin -->', '<!-- report:end -->'];
const page = fileURLToPath(new URL('../docs/FAILURES.md', import.meta.url));
const notes = join(tmpdir(), `firstseen-failures-${process.pid}`);

if (values.quick) process.env.FAILURES_QUICK = 'yes';
if (values.kills) process.env.FAILURES_KILLS = values.kills;
if (values.seed) process.env.FAILURES_SEED = values.seed;
if (values.report) process.env.FAILURES_REPORT = notes;

/** The rows of a table of two columns, by the first one. */
function rowsIn(table) {
  return new Map([...table.matchAll(/^\| (.*?) \| (.*) \|$/gm)].slice(1).map(([, what, found]) => [what, found]));
}

/** Writes what the tests told between the marks of the page. Rows of tests that were not run stay. */
function writeReport() {
  const [before, rest] = readFileSync(page, 'utf8').split(BEGIN);
  const [table, after] = rest.split(END);
  const told = readFileSync(notes, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const rows = new Map([...rowsIn(table), ...told]);
  const lines = Array.from(rows, ([what, found]) => `| ${what} | ${found} |`);
  writeFileSync(page, `${before}${BEGIN}\n${['| what | found |', '|---|---|', ...lines].join('\n')}\n${END}${after}`);
  rmSync(notes);
}

const groups = ['kills', 'disk', 'clock', 'connections', 'fuzz'];
const chosen = values.only?.split(',') ?? groups;
runTests(
  import.meta.url,
  groups.filter((name) => chosen.includes(name)),
  values.report ? writeReport : undefined,
);
