// What `npm test` says about a run: totals, the slowest files, budgets, and the age of the report of the long form.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { budgetFor, budgetProblems, machineLine, readBudget } from '../tests/budget.mjs';
import { changedLines, problemOf, readHead, reportText } from '../tests/longreport.mjs';
import { readResults, saveResult } from '../tests/longresults.mjs';
import { slowestLines, totalsOf } from '../tests/results.mjs';
import { runSideBySide, timeLines } from '../tests/steps.mjs';

const result = (file, more = {}) => ({
  ...{ file, project: 'process', wallSeconds: 1, passed: 1, failed: 0, skipped: [], starts: 0 },
  ...more,
});
const pure = (file, milliseconds, loopMilliseconds = 10) =>
  result(file, { project: 'pure', processor: { milliseconds, loopMilliseconds } });

test('totals are sums, and a test that was skipped without a reason was not selected', () => {
  const results = [
    result('a', { passed: 3, starts: 2 }),
    result('b', { failed: 1, skipped: ['no Redis', ''], starts: 5 }),
  ];
  const reasons = ['no Redis', 'it was not selected'];
  expect(totalsOf(results)).toEqual({ passed: 4, failed: 1, starts: 7, reasons });
});

test('the slowest files are named by processor time where it was measured', () => {
  const lines = slowestLines([result('a', { wallSeconds: 2 }), pure('b', 3000), result('c')], 2);
  expect(lines).toEqual(['   3.0 s processor b', '   2.0 s wall      a']);
});

describe('budgets', () => {
  const budget = { loopMilliseconds: 10, starts: 3, fileSeconds: 2, filesSeconds: { b: 4 } };

  test('are met up to their number', () => {
    expect(budgetProblems([result('a', { starts: 3 }), pure('b', 4000), pure('c', 2000)], budget)).toEqual([]);
  });

  test('of processes are exceeded by the sum over all files', () => {
    const problems = budgetProblems([result('a', { starts: 2 }), result('b', { starts: 2 })], budget);
    expect(problems).toEqual([expect.stringContaining('started 4 processes, but may start 3')]);
  });

  test('of files are exceeded by their own processor time', () => {
    const problems = budgetProblems([pure('a', 2100), pure('b', 3900)], budget);
    expect(problems).toEqual([expect.stringContaining('a took 2.1 s of processor time')]);
  });

  test('are compared at the speed of the machine: one of half the speed may take twice as long', () => {
    expect(budgetProblems([pure('a', 3900, 20)], budget)).toEqual([]);
    expect(budgetProblems([pure('a', 1100, 5)], budget)).toHaveLength(1);
  });

  test('that are set from a run are met by it, and name the files that take more than the others', () => {
    const results = [pure('slow', 3000), pure('quick', 900), result('a', { starts: 100 })];
    const set = budgetFor(results, budget);
    expect(set).toEqual({ loopMilliseconds: 10, starts: 111, fileSeconds: 2, filesSeconds: { slow: 6 } });
    expect(budgetProblems(results, set)).toEqual([]);
  });

  test('tell what a run would take on their machine', () => {
    const results = [pure('a', 1, 20), pure('b', 1, 15), pure('c', 1, 30), result('d')];
    expect(machineLine(results, 100, budget)).toMatch(
      /^all steps: 100 s of processors, 50 s of those .* 20\.0 ms here$/,
    );
    expect(machineLine([result('d')], 100, budget)).toBeUndefined();
    expect(machineLine(results, undefined, budget)).toBeUndefined();
  });

  test('of the repository have all numbers', () => {
    const { loopMilliseconds, starts, fileSeconds, filesSeconds } = readBudget();
    for (const number of [loopMilliseconds, starts, fileSeconds, ...Object.values(filesSeconds)]) {
      expect(number).toBeGreaterThan(0);
    }
  });
});

describe('the report of the long form', () => {
  const facts = { date: '2026-11-01', version: '0.1.0', commit: 'abc' };
  const current = { now: Date.parse('2026-11-20'), version: '0.1.4', share: 0.05 };

  test('that is young and of nearly the same code is not old', () => expect(problemOf(facts, current)).toBeUndefined());

  test.each([
    ['it is 31 days old', { now: Date.parse('2026-12-02') }],
    ['it is of version 0.1.0', { version: '0.2.0' }],
    ['11 % of the lines of code and tests have changed since', { share: 0.11 }],
    ['its commit is not in this clone', { share: undefined }],
  ])('is old when %s', (problem, change) => expect(problemOf(facts, { ...current, ...change })).toBe(problem));

  test('without a date is old', () => {
    expect(problemOf({ ...facts, date: undefined }, current)).toMatch(/^it is NaN days old$/);
  });

  test('has the facts that are read from it, the steps, and why tests were skipped', () => {
    const steps = [
      {
        ...{ name: 'a', commit: '0123456789', isDone: true, counts: { passed: 3, failed: 1 } },
        ...{ seconds: 60.4, processorSeconds: 90, notes: [] },
      },
      { name: 'b', commit: 'abc', isDone: false, seconds: 1, notes: ['2 skipped: no Redis'] },
    ];
    const text = reportText({ ...facts, machine: '2 processors', node: 'v20.19.0', steps });
    expect(readHead(text)).toEqual(facts);
    expect(text).toContain('| `a` | 01234567 | 3 passed, 1 failed | 60 | 90 |\n| `b` | abc | failed | 1 |  |\n');
    expect(text).toContain('Skipped in `b`:\n\n- 2 skipped: no Redis\n');
    expect(text).not.toContain('Skipped in `a`');
  });

  test('counts a changed line once', () => {
    expect(changedLines('3\t2\ta.ts\n0\t4\tb.ts\n-\t-\tc.wasm\n')).toBe(7);
  });
});

describe('steps', () => {
  const step = (name, code) => ({ name, words: [process.execPath, '-e', code] });

  test('run side by side, and each output is a block', async () => {
    let written = '';
    const steps = [
      // Each waits for the other: one after the other, they would never end.
      step('listener', "require('net').createServer((s) => { s.end(); process.exit(); }).listen(process.argv[1])"),
      step(
        'caller',
        "const c = () => require('net').connect(process.argv[1]).on('error', () => setTimeout(c, 20)).on('close', () => {}).on('connect', () => { console.log('called'); process.exit(3); }); c()",
      ),
    ];
    const socket =
      process.platform === 'win32' ? '\\\\.\\pipe\\firstseen-steps' : `/tmp/firstseen-steps-${process.pid}`;
    for (const one of steps) one.words.push(socket);
    const results = await runSideBySide(steps, {
      cwd: '.',
      write: (text) => {
        written += text;
      },
    });
    expect(results.map(({ name, isDone }) => [name, isDone])).toEqual([
      ['listener', true],
      ['caller', false],
    ]);
    expect(written).toBe('\ncaller\ncalled\n');
  });

  test('whose command does not exist have failed', async () => {
    const [result] = await runSideBySide([{ name: 'a', words: ['firstseen-none'] }], {
      cwd: '.',
      write: () => {},
    });
    expect(result.isDone).toBe(false);
  });

  test('are told with their times', () => {
    const results = [
      { name: 'lint', isDone: true, seconds: 12.3, processorSeconds: 20.6 },
      { name: 'types', isDone: false, seconds: 3 },
    ];
    expect(timeLines(results)).toEqual(['lint: 12 s, 21 s of processors', 'types: failed after 3 s']);
  });
});

test('the last results of steps that ran one by one have their commit and day', () => {
  const folder = mkdtempSync(join(tmpdir(), 'firstseen-long-'));
  try {
    const now = new Date('2026-11-01T12:00:00Z');
    saveResult('a', { seconds: 1 }, { folder, commit: 'old', now });
    saveResult('a', { seconds: 2 }, { folder, commit: 'new', now });
    const a = { commit: 'new', date: '2026-11-01', seconds: 2 };
    expect(readResults(['a', 'b'], { folder })).toEqual({ a });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
