// A table of what tests found, in a page between marks: each test notes a row, and rows of tests that were not run stay.

import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const [BEGIN, END] = ['<!-- report:begin -->', '<!-- report:end -->'];
/** The variable by which the processes of tests know the file of the notes. The server refuses variables that begin with its own name. */
const VARIABLE = 'REPORT_NOTES';

/** Notes a row for the report, if one is written. */
export function tell(what, found) {
  const notes = process.env[VARIABLE];
  if (notes) appendFileSync(notes, `${JSON.stringify([what, found])}\n`);
}

/** The rows of a table of two columns, by the first one. */
function rowsIn(table) {
  return new Map([...table.matchAll(/^\| (.*?) \| (.*) \|$/gm)].slice(1).map(([, what, found]) => [what, found]));
}

/** Has tests note rows from now on. @returns a function that writes them between the marks of a page */
export function beginReport(page) {
  const notes = join(tmpdir(), `firstseen-report-${process.pid}`);
  process.env[VARIABLE] = notes;
  return () => {
    const [before, rest] = readFileSync(page, 'utf8').split(BEGIN);
    const [table, after] = rest.split(END);
    if (!existsSync(notes)) {
      process.stderr.write(`no test noted a row, so ${page} is as it was\n`);
      return;
    }
    const told = readFileSync(notes, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const rows = new Map([...rowsIn(table), ...told]);
    const lines = Array.from(rows, ([what, found]) => `| ${what} | ${found} |`);
    writeFileSync(page, `${before}${BEGIN}\n${['| what | found |', '|---|---|', ...lines].join('\n')}\n${END}${after}`);
    rmSync(notes);
  };
}
