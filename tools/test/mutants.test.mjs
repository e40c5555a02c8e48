// The tool that measures the tests: what it changes in the sources, which sample it draws, and what it concludes from the tests.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { baselineOf, failingTwice, hitsOf, pieceOf } from '../mutants/baseline.mjs';
import { batchCount, batchesOf, nearness } from '../mutants/batches.mjs';
import { candidatesOf, roomOf } from '../mutants/candidates.mjs';
import { CHECKOUT_CONFIGURATION, configuration } from '../mutants/copy.mjs';
import { reportText, totals } from '../mutants/report.mjs';
import { compareResults, lastResults } from '../mutants/results.mjs';
import { isOfKernel, sampleOf } from '../mutants/sample.mjs';
import { filesOfReport, patternOf, patternWithout } from '../mutants/suite.mjs';
import { ACTIVE, HITS, TEST_FILE, withSwitches } from '../mutants/switches.mjs';
import { failuresOf } from '../mutants/trial.mjs';

const folder = mkdtempSync(join(tmpdir(), 'firstseen-mutants-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const SOURCE = 'packages/firstseen/src/base/example.ts';

/** The mutations of a text, as `before → after`. */
function mutationsIn(text, file = SOURCE) {
  return candidatesOf(file, text).map(({ before, after }) => `${before} → ${after}`);
}

describe('mutations', () => {
  test.each([
    ['if (a < b) f;', ['a < b → a <= b', 'a < b → true', 'a < b → false']],
    ['x = a && b === c;', ['a && b === c → a || (b === c)', 'b === c → b !== c']],
    ['x = a ?? b;', ['a ?? b → a']],
    ['x = a % b + c;', ['a % b + c → a % b - c', 'a % b → a * b']],
    ['x = 0x10;', ['0x10 → 17']],
    ['x = 2.5;', ['2.5 → 5']],
    ['x = 7n;', ['7n → 8n']],
    ['x = !a;', ['!a → a']],
    ['await f(a);', ['await f(a) → undefined', 'await f(a) → f(a)']],
    ['const a = await b;', ['await b → b']],
    ['x = Math.min(a, b);', ['Math.min(a, b) → Math.max(a, b)']],
    ['function f(): boolean { return a.b; }', ['a.b → !(a.b)']],
    ['const f = (): boolean => a;', ['a → !(a)']],
  ])('of %s', (text, mutations) => {
    expect(mutationsIn(text).sort()).toEqual([...mutations].sort());
  });

  test.each([
    [`throw new RangeError(\`\${a + b} is more than \${5}\`);`],
    ['type A = 1 | 2; interface B { c: true }'],
    ['async function f() { return await a; }'],
    ['for (; a; i -= b) f;'],
    ['const WAIT_MILLISECONDS = 5;'],
    [`x = \`\${a + b} records\`;`],
    ["x = 'a' + b;"],
    ['console.log(5);'],
    ['x = { 5: a };'],
    ['x = a ?? undefined;'],
    ['// Written by a tool; not to be edited.\nx = 5;'],
  ])('none of %s', (text) => {
    expect(mutationsIn(text).filter((mutation) => !mutation.endsWith('→ undefined'))).toEqual([]);
  });

  test.each(['assembly/lib', 'assembly-parquet'])('a kernel in %s has no undefined value', (folder) => {
    expect(mutationsIn('f(a);', `packages/firstseen/${folder}/example.ts`)).toEqual(['f(a) → 0']);
  });

  test('what is no source has none', () => {
    expect(mutationsIn('x = 5;', 'packages/firstseen/test/unit/example.ts')).toEqual([]);
  });

  test('a mutation keeps its id when lines before it and other functions change', () => {
    const text = 'function f() { return a < b; }\n';
    const [{ id, line }] = candidatesOf(SOURCE, text);
    const moved = candidatesOf(SOURCE, `function g() { return a < b; }\n\n${text}`);
    expect(moved.map((candidate) => [candidate.id === id, candidate.line])).toEqual([
      [false, 1],
      [true, 3],
    ]);
    expect(line).toBe(1);
  });
});

describe('the sample', () => {
  const files = ['src/base/a.ts', 'src/base/b.ts', 'src/io/file/c.ts', 'assembly/lib/d.ts'];
  const text = Array.from({ length: 30 }, (_, i) => `function f${i}() { g(a < ${i + 2}); }`).join('\n');
  const candidates = files.flatMap((file) => candidatesOf(`packages/firstseen/${file}`, text));
  const idsOf = (sample) => sample.map(({ id }) => id);

  test('has one fifth of kernels, and as many of each room', () => {
    const sample = sampleOf(candidates, { count: 20, seed: '1' });
    expect(sample.filter(isOfKernel)).toHaveLength(4);
    expect(sample.filter(({ room }) => room.endsWith('/base'))).toHaveLength(8);
    expect(sample.filter(({ room }) => room.endsWith('/io'))).toHaveLength(8);
    expect(new Set(sample.map(({ file, start, end }) => `${file} ${start} ${end}`)).size).toBe(20);
  });

  test('of a larger count contains a smaller one, and another seed draws another one', () => {
    const ids = idsOf(sampleOf(candidates, { count: 20, seed: '1' }));
    expect(idsOf(sampleOf(candidates, { count: 40, seed: '1' }))).toEqual(expect.arrayContaining(ids));
    expect(idsOf(sampleOf(candidates, { count: 20, seed: '2' }))).not.toEqual(ids);
  });

  test('a file at the top is in the room of the others there', () => {
    expect(roomOf('packages/firstseen/src/index.ts')).toBe('packages/firstseen/src');
    expect(roomOf(SOURCE)).toBe('packages/firstseen/src/base');
  });
});

describe('switches', () => {
  const text =
    "// A comment.\nconst isFew = 4 < 2 + 3;\nconsole.log(isFew, 'on line', new Error().stack.match(/:(\\d+):\\d+/)[1]);\n";
  const mutants = candidatesOf(SOURCE, text).map((mutant, i) => ({ ...mutant, number: i + 1 }));
  const program = join(folder, 'switched.mjs');
  writeFileSync(program, withSwitches(text, mutants, mutants.length + 1));

  function run(env) {
    const { stdout, stderr } = spawnSync(process.execPath, [program], {
      encoding: 'utf8',
      env: { ...process.env, ...env },
    });
    expect(stderr).toBe('');
    return stdout.trim();
  }

  test('choose one mutant, also one within another, and shift no line', () => {
    const numberOf = (mutation) => mutants.find(({ before, after }) => `${before} → ${after}` === mutation).number;
    expect(run({})).toBe('true on line 3');
    expect(run({ [ACTIVE]: numberOf('2 + 3 → 2 - 3') })).toBe('false on line 3');
    expect(run({ [ACTIVE]: numberOf('4 → 5') })).toBe('false on line 3');
    expect(run({ [ACTIVE]: numberOf('2 → 3') })).toBe('true on line 3');
    expect(run({ [ACTIVE]: numberOf('4 < 2 + 3 → 4 <= 2 + 3') })).toBe('true on line 3');
  });

  test('note once which mutants a file of tests reaches', () => {
    const hits = mkdtempSync(join(folder, 'hits-'));
    run({ [HITS]: hits, [TEST_FILE]: '/tree/a.test.ts' });
    const notes = readdirSync(hits).map((name) => readFileSync(join(hits, name), 'utf8'));
    expect(hitsOf(notes, '/tree')).toEqual(Object.fromEntries(mutants.map(({ number }) => [number, ['a.test.ts']])));
    expect(notes.join('').trim().split('\n')).toHaveLength(mutants.length);
  });

  test.each([
    [undefined, 2],
    [2, 2],
    [1, Number.NaN],
  ])('have a number below the count, and not %s of %s', (number, count) => {
    const mutant = { number, start: 10, end: 11, after: '6' };
    expect(() => withSwitches('const a = 5;', [mutant], count)).toThrow('is not below');
  });

  test('tell where a kernel starts', () => {
    expect(withSwitches('const a = await WebAssembly.instantiate(b);', [], 1)).toContain('__mutant(0)');
    expect(withSwitches('const a = 5;', [], 1)).toBeUndefined();
  });

  test.each([
    [{ projects: [{ test: { setupFiles: ['a.ts'], isolate: false } }, { test: {} }] }, [['a.ts'], []]],
    [{ setupFiles: ['a.ts'] }, [['a.ts']]],
  ])('come with a setup in all projects of the configuration %j', async (checkout, files) => {
    const made = mkdtempSync(join(folder, 'configuration-'));
    writeFileSync(join(made, CHECKOUT_CONFIGURATION), `export default ${JSON.stringify({ test: checkout })};`);
    writeFileSync(join(made, 'configuration.ts'), configuration);
    const { default: changed } = await import(join(made, 'configuration.ts'));
    const projects = changed.test.projects ?? [changed];
    expect(projects.map((project) => project.test.setupFiles)).toEqual(
      files.map((before) => [expect.stringMatching(/setup/), ...before]),
    );
  });
});

describe('batches', () => {
  const source = 'packages/firstseen/src/io/lock/lock.ts';
  const testOf = (path) => `packages/firstseen/test/${path}.test.ts`;

  test('tests with the name of the source are near, and those of its folders are next', () => {
    expect(nearness(source, testOf('cli/lock'))).toBe(2);
    expect(nearness(source, testOf('unit/io/edges'))).toBe(1);
    expect(nearness(source, testOf('unit/plan/plan'))).toBe(0);
    expect(nearness(source, 'packages/lab/test/unit/lock.test.ts')).toBe(1);
  });

  test('near tests come first, then unit tests, then short ones', () => {
    const [near, unit, ...others] = ['cli/lock', 'unit/plan/plan', 'b', 'c', 'a', 'd'].map(testOf);
    const durations = [90, 70, 5, 8, 20, 300];
    const seconds = Object.fromEntries([near, unit, ...others].map((file, i) => [file, durations[i]]));
    const batches = batchesOf(source, Object.keys(seconds), seconds);
    expect(batches).toHaveLength(batchCount);
    expect(batches).toEqual([[near], [unit], others.slice(0, 3), others.slice(3)]);
    const ofKernel = batchesOf(source.replace('/src/', '/assembly/'), Object.keys(seconds), seconds);
    expect(ofKernel.slice(0, 2)).toEqual([[], [near, unit]]);
  });
});

describe('what tests say', () => {
  const failing = (name, message) => [{ file: 'a', seconds: 1, failures: [{ name, message }] }];

  test.each([
    ['no test fails', { code: 0, files: [{ file: 'a', seconds: 1, failures: [] }] }, []],
    ['a test fails', { code: 1, files: failing('b', 'not equal') }, ['a: b']],
    ['the runner fails', { code: 1, files: [] }, [': an error outside of tests']],
    ['there is no report', { code: null }, [': an error outside of tests']],
  ])('%s', (_name, run, failures) => {
    expect(failuresOf(run).map(({ file, name }) => `${file}: ${name}`)).toEqual(failures);
  });

  test('a pattern leaves out tests by their whole names', () => {
    const pattern = new RegExp(patternWithout(['a (b)', 'c']));
    expect(['a (b)', 'c', 'a (b) d', 'e'].filter((name) => pattern.test(name))).toEqual(['a (b) d', 'e']);
    expect(['a (b)', 'a (b) d'].filter((name) => new RegExp(patternOf('a (b)')).test(name))).toEqual(['a (b)']);
  });

  test('a report tells failed tests, and files that fail as a whole', () => {
    const times = { startTime: 1000, endTime: 3500, message: 'cannot be loaded', status: 'failed' };
    const testResults = [
      { ...times, name: '/tree/a', assertionResults: [{ fullName: 'b', status: 'failed', failureMessages: ['c'] }] },
      { ...times, name: '/tree/d', assertionResults: [] },
    ];
    expect(filesOfReport({ testResults }, '/tree')).toEqual([
      { file: 'a', seconds: 2.5, failures: [{ name: 'b', message: 'c' }] },
      { file: 'd', seconds: 2.5, failures: [{ name: '', message: 'cannot be loaded' }] },
    ]);
  });

  test('a test that fails once is not left out', () => {
    const failures = (...names) => names.map((name) => ({ name, message: '' }));
    const first = [
      { file: 'a', failures: failures('b', 'c') },
      { file: 'd', failures: [] },
    ];
    expect(failingTwice(first, [{ file: 'a', failures: failures('c', 'e') }])).toEqual([
      { file: 'a', failures: failures('c') },
      { file: 'd', failures: [] },
    ]);
  });

  test('pieces of the baseline are added up', () => {
    const piece = (file, hits, failures = []) =>
      pieceOf({ files: [{ file, seconds: 1.23, failures }], hits, numbers: { x: 1, y: 2 }, sources: 's' });
    const failures = [{ name: 'fails', message: 'why' }];
    expect(baselineOf([piece('a', { 0: ['a'], 1: ['a'] }), piece('b', { 1: ['b'] }, failures)])).toEqual({
      seconds: { a: 1.2, b: 1.2 },
      broken: [],
      failing: [{ file: 'b', name: 'fails' }],
      kernel: ['a'],
      hits: { x: ['a', 'b'] },
    });
  });
});

describe('results', () => {
  const result = (id, outcome) => ({
    id,
    outcome,
    file: SOURCE,
    line: 1,
    room: 'r',
    kind: 'bound',
    before: 'a',
    after: 'b',
  });
  const textOf = (...results) => results.map((each) => `${JSON.stringify(each)}\n`).join('');

  test('the last one of a mutant counts', () => {
    const results = lastResults(textOf(result('x', 'open'), result('y', 'killed'), result('x', 'killed')));
    expect([...results.values()].map(({ outcome }) => outcome)).toEqual(['killed', 'killed']);
  });

  test('a comparison names what is not found any more', () => {
    const before = lastResults(
      textOf(result('x', 'killed'), result('y', 'killed'), result('z', 'survived'), result('u', 'killed')),
    );
    const after = lastResults(textOf(result('x', 'killed'), result('y', 'unreached'), result('z', 'killed')));
    const { compared, foundBefore, foundAfter, stillFound, lost, gained } = compareResults(before, after);
    expect({ compared, foundBefore, foundAfter, stillFound }).toEqual({
      ...{ compared: 3, foundBefore: 2, foundAfter: 2, stillFound: 1 },
    });
    expect([lost, gained].map((results) => results.map(({ id }) => id))).toEqual([['y'], ['z']]);
  });

  test('a report counts outcomes and keeps the columns of its table', () => {
    const killed = {
      ...result('x', 'killed'),
      before: 'a | b',
      by: { file: 'packages/c.test.ts', name: 'd' },
      seconds: 3,
    };
    const results = [killed, { ...result('y', 'unreached'), seconds: 0 }];
    expect(totals(results, 'kind')).toEqual([
      ['bound', 1, 0, 1, 0, 0],
      ['all', 1, 0, 1, 0, 0],
    ]);
    const text = reportText(results, { head: [['date', 'today']], leftOut: [] });
    expect(text).toContain('| 1 | x | firstseen/src/base/example.ts:1 | bound | `a \\| b` → `b` | c.test.ts: d | 3 |');
    expect(text).toContain('no test reaches it');
  });
});
