// `npm run test:failures [-- --quick] [--kills N] [--seed N] [--report]`: kills servers, cuts off their power, fills their disk, and sends them
// what no client should. With `--report`, writes what was found into docs/FAILURES.md. The last line is
// `N passed, N failed, N skipped`.

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { counterOf, countsText, skippedLines } from '../tools/counts.mjs';

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean' },
    report: { type: 'boolean' },
    kills: { type: 'string' },
    seed: { type: 'string' },
  },
});
const [BEGIN, END] = ['<!-- report:begin -->', '<!-- report:end -->'];
const page = fileURLToPath(new URL('../docs/FAILURES.md', import.meta.url));
const notes = join(tmpdir(), `firstseen-failures-${process.pid}`);

if (values.quick) process.env.FAILURES_QUICK = 'yes';
if (values.kills) process.env.FAILURES_KILLS = values.kills;
if (values.seed) process.env.FAILURES_SEED = values.seed;
if (values.report) process.env.FAILURES_REPORT = notes;

/** Writes what the tests told between the marks of the page. */
function writeReport(counts) {
  const lines = readFileSync(notes, 'utf8').trim().split('\n');
  const rows = lines.map((line) => `| ${JSON.parse(line).join(' | ')} |`);
  const [before, rest] = readFileSync(page, 'utf8').split(BEGIN);
  const [, after] = rest.split(END);
  const table = ['| what | found |', '|---|---|', ...rows, `| all tests | ${countsText(counts)} |`].join('\n');
  writeFileSync(page, `${before}${BEGIN}\n${table}\n${END}${after}`);
  rmSync(notes);
}

const files = ['kills', 'disk', 'clock', 'connections', 'fuzz'].map((name) =>
  fileURLToPath(new URL(`./${name}.test.mjs`, import.meta.url)),
);
const events = run({ files, concurrency: false });
const counted = counterOf(events);
const text = events.compose(new spec());
text.on('end', () => {
  const { reasons, ...counts } = counted();
  for (const line of skippedLines(reasons)) console.log(line);
  if (values.report) writeReport(counts);
  console.log(countsText(counts));
  process.exitCode = counts.failed === 0 ? 0 : 1;
});
text.pipe(process.stdout, { end: false });
