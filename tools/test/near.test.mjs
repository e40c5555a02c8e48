// `npm run test:near`: notes in the source, the table, and the choice of tests.

import ts from '@typescript/typescript6';
import { describe, expect, test } from 'vitest';
import { effectiveLines, replacedLines } from '../near/changes.mjs';
import { choose, nearest } from '../near/choose.mjs';
import { instrumented } from '../near/instrument.mjs';
import { selectionOf, tableOf, tableText, unitsAt, unitsOf } from '../near/table.mjs';

const source = `import { a } from './a.js';

export function sign(n: number): number {
  if (n < 0) return -1;
  for (const digit of [1, 2]) n += digit;
  switch (n) {
    case 3:
      return 0;
    default:
  }
  return 1;
}
const half = (n: number) => n / 2;
const pair = (n: number) => ({ n });
`;

describe('instrumented', () => {
  const { text, points } = instrumented('a.ts', source, 5);

  test('keeps the lines', () => {
    expect(text.split('\n')).toHaveLength(source.split('\n').length);
    expect(points).toEqual([4, 4, 5, 5, 6, 8, 11, 13, 14].map((line) => [line, line === 6 ? 10 : line]));
  });

  test('notes each statement that runs, in its order', () => {
    const { outputText } = ts.transpileModule(`${text}\nreturn { sign, half, pair };`, {
      compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext },
    });
    const reached = [];
    const body = outputText.replace(/^export /gm, '').replace(/^import .*$/gm, '');
    const { sign, half, pair } = new Function('__near', body)((point) => reached.push(point));
    expect([sign(-1), half(4), pair(1)]).toEqual([-1, 2, { n: 1 }]);
    expect(reached).toEqual([5, 6, 12, 13]);
    reached.length = 0;
    expect([sign(0), sign(1)]).toEqual([0, 1]);
    expect(reached).toEqual([5, 7, 8, 8, 9, 10, 5, 7, 8, 8, 9, 11]);
  });
});

const points = [
  { path: 'src/a.ts', start: 3, end: 9 },
  { path: 'src/a.ts', start: 5, end: 5 },
  { path: 'src/b.ts', start: 1, end: 1 },
];
const units = [
  { file: 'test/a.test.ts', suite: '', points: [0] },
  { file: 'test/a.test.ts', suite: 'one # two', points: [0, 1] },
  { file: 'test/quick.test.ts', suite: 'three', points: [0] },
];
const seconds = new Map([
  ['test/a.test.ts', 5],
  ['test/quick.test.ts', 0.1],
]);
const isWhole = (file) => seconds.get(file) < 1;
const table = JSON.parse(tableText(tableOf({ commit: 'HEAD', points, units, isWhole, seconds })));

describe('the table', () => {
  test('has the units that reach a line, by its innermost statement', () => {
    expect(unitsAt(table, 'src/a.ts', 5)).toEqual(['test/a.test.ts#one # two']);
    expect(unitsAt(table, 'src/a.ts', 4)).toEqual(['test/a.test.ts', 'test/a.test.ts#one # two', 'test/quick.test.ts']);
    expect(unitsAt(table, 'src/a.ts', 10)).toBeUndefined();
    expect(unitsAt(table, 'src/b.ts', 1)).toEqual([]);
    expect(unitsOf(table, 'src/c.ts')).toEqual([]);
  });

  test('chooses the suites of a file where there are some, else the whole file', () => {
    expect(selectionOf(unitsAt(table, 'src/a.ts', 4))).toEqual({
      'test/a.test.ts': ['one # two'],
      'test/quick.test.ts': null,
    });
    expect(selectionOf(['test/a.test.ts'])).toEqual({ 'test/a.test.ts': null });
  });
});

describe('changes', () => {
  test('are the replaced lines, and the lines around added ones', () => {
    expect(replacedLines('@@ -3 +3 @@\n-a\n+b\n@@ -7,2 +7,3 @@\n@@ -20,0 +22,2 @@\n')).toEqual([3, 7, 8, 20, 21]);
  });

  test('count where a test can see them', () => {
    const text = `import { a } from 'a';\n/** A type. */\ninterface B {\n  c: number;\n}\n\n// A sum.\nconst d = a +\n  1;\n`;
    expect([...effectiveLines('a.ts', text)]).toEqual([8, 9]);
  });
});

test('a topic of cases is a suite', () => {
  const { selection } = choose(table, ['packages/firstseen/test/cli/cases/csv/keys.txt'], process.cwd());
  expect(selection).toEqual({ 'packages/firstseen/test/cli/cases.test.ts': ['csv/keys'] });
});

describe('whatever it takes', () => {
  const slow = 'packages/firstseen/test/serve/claims.test.ts';
  const twins = ['twins', 'twinsettings'].map((name) => `packages/firstseen/test/contract/${name}.test.ts`);
  const units = [slow, ...twins, 'packages/firstseen/test/unit/detectors/sbf.test.ts'];
  const all = {
    units,
    sets: ['1 1 1 1'],
    files: { 'packages/firstseen/src/detectors/sbf.ts': [[1, 9, 0]] },
    seconds: Object.fromEntries(units.map((unit) => [unit, 40])),
  };

  test('a test that has changed is chosen', () => {
    const { selection, left } = choose(all, ['packages/firstseen/src/detectors/sbf.ts', slow], process.cwd(), 1);
    expect(Object.keys(selection)).toContain(slow);
    expect(left).toBeGreaterThan(0);
  });

  test('the twins are chosen for a kernel of a family', () => {
    const { selection } = choose(all, ['packages/firstseen/assembly/detectors/sbf.ts'], process.cwd(), 1);
    expect(Object.keys(selection)).toEqual(expect.arrayContaining(twins));
    expect(Object.keys(selection)).not.toContain(slow);
  });
});

test('a source of the kernel of Parquet has the tests of what calls it', () => {
  const callers = {
    units: ['packages/firstseen/test/unit/io/parquet/damage.test.ts'],
    sets: ['1'],
    files: { 'packages/firstseen/src/io/parquet/kernel.ts': [[1, 9, 0]] },
    seconds: {},
  };
  const { selection, unknown } = choose(callers, ['packages/firstseen/assembly-parquet/snappy.ts'], process.cwd());
  expect([Object.keys(selection), unknown]).toEqual([callers.units, []]);
});

test('a file that the table does not know is left to the imports', () => {
  const chosen = choose(table, ['tools/near/choose.mjs', 'tools/test/near.test.mjs'], process.cwd());
  expect(chosen).toEqual({
    selection: { 'tools/test/near.test.mjs': null },
    left: 0,
    unknown: ['tools/near/choose.mjs'],
  });
});

describe('the nearest units', () => {
  const table = {
    units: ['all.test.ts', 'a.test.ts#one', 'a.test.ts#two', 'b.test.ts'],
    sets: ['1', '1 1', '1 2 1'],
    files: {
      'src/a.ts': [
        [1, 10, 1],
        [11, 12, 2],
      ],
      'src/b.ts': [[1, 90, 0]],
    },
    seconds: { 'all.test.ts': 5, 'a.test.ts': 4, 'b.test.ts': 1 },
  };

  test('are those that reach the least, up to their seconds', () => {
    expect(nearest(table, table.units, 3)).toEqual(['a.test.ts#two', 'b.test.ts']);
    expect(nearest(table, table.units, 5)).toEqual(['a.test.ts#two', 'b.test.ts', 'a.test.ts#one']);
  });

  test('are first those that run what changed, then those that only load it', () => {
    expect(nearest(table, table.units, 3, new Set(['a.test.ts#two']))).toEqual(['b.test.ts', 'a.test.ts#one']);
  });

  test('are at least one', () => {
    expect(nearest(table, ['all.test.ts'], 0)).toEqual(['all.test.ts']);
  });
});
