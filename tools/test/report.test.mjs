// The report of what tests found.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { beginReport, tell } from '../report.mjs';

const TABLE = 'before\n<!-- report:begin -->\n| what | found |\n|---|---|\n| a | 1 |\n<!-- report:end -->\nafter\n';

function pageIn() {
  const folder = mkdtempSync(join(tmpdir(), 'firstseen-report-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const page = join(folder, 'page.md');
  writeFileSync(page, TABLE);
  return page;
}

test('rows that were noted replace those of the same tests', () => {
  const page = pageIn();
  const write = beginReport(page);
  tell('a', '2');
  tell('b', '3');
  write();
  expect(readFileSync(page, 'utf8')).toBe(TABLE.replace('| a | 1 |', '| a | 2 |\n| b | 3 |'));
});

test('a page stays as it is where no test noted a row, and that is said', () => {
  const page = pageIn();
  const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  onTestFinished(() => said.mockRestore());
  beginReport(page)();
  expect(readFileSync(page, 'utf8')).toBe(TABLE);
  expect(said).toHaveBeenCalledWith(`no test noted a row, so ${page} is as it was\n`);
});
