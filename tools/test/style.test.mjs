// Each rule of style reports violations and accepts correct code.

import { describe, expect, test } from 'vitest';
import { importsOf, portabilityProblems, resolveImport, stringsOf, styleProblems } from '../style/rules.mjs';

const SOURCE = 'packages/firstseen/src';
const ASSEMBLY = 'packages/firstseen/assembly';

function problemsOf(path, text) {
  return styleProblems(new Map([[path, text]]));
}

describe('the rule of circles', () => {
  const [a, b, c] = ['a', 'b', 'c'].map((name) => `${SOURCE}/claims/${name}.ts`);

  test.each([
    ['of two files', { [a]: "import { b } from './b.js';", [b]: "import type { A } from './a.js';" }, a, b],
    [
      'reached from another file',
      { [a]: "import { b } from './b.js';", [b]: "import { c } from './c.js';", [c]: "export * from './b.js';" },
      b,
      c,
    ],
    ['of one file', { [a]: "import { a } from './a.js';" }, a, 'nothing else'],
  ])('refuses a circle %s', (_name, texts, path, way) => {
    expect(styleProblems(new Map(Object.entries(texts)))).toEqual([`${path}: imports itself by way of ${way}`]);
  });

  test('accepts two ways to one file', () => {
    const texts = { [a]: "import './b.js';\nimport './c.js';", [b]: "import './c.js';", [c]: '' };
    expect(styleProblems(new Map(Object.entries(texts)))).toEqual([]);
  });
});

/** A placeholder in a template, as source. */
function hole(text) {
  return ['$', '{', text, '}'].join('');
}

describe('importsOf', () => {
  test.each([
    ["import { a } from './a.js';", './a.js'],
    ["import './a.js';", './a.js'],
    ["import {\n  a,\n  type B,\n} from '../b/a.js';", '../b/a.js'],
    ["import type { A } from './a.js';", './a.js'],
    ["export * from './a.js';", './a.js'],
    ["export { a } from './a.js';", './a.js'],
    ["const { a } = await import('./a.js');", './a.js'],
    ["let a: typeof import('./a.js');", './a.js'],
    ["new Worker(new URL('./worker.js', import.meta.url));", './worker.js'],
    ["new Worker(\n  new URL(\n    './worker.js',\n    import.meta.url,\n  ),\n);", './worker.js'],
    ["await import(\n  './a.js',\n);", './a.js'],
    ["await import(/* a comment */ './a.js');", './a.js'],
    ['await import(`./a.js`);', './a.js'],
    ["import { join } from 'node:path';", 'node:path'],
  ])('finds the module of %s', (text, found) => {
    expect(importsOf(text)).toEqual([found]);
  });

  test('finds no modules in other text', () => {
    expect(importsOf("const from = 'a';\nnew URL('./data.json', import.meta.url);\n// taken from 'b'\n")).toEqual([]);
  });
});

test.each([
  [`${SOURCE}/jobs/near/job.ts`, '../../plan/stream.js', `${SOURCE}/plan/stream.ts`],
  [`${SOURCE}/index.ts`, './base/errors.js', `${SOURCE}/base/errors.ts`],
  [`${ASSEMBLY}/scan/csv.ts`, '../lib/memory', `${ASSEMBLY}/lib/memory.ts`],
  ['tools/build.mjs', './abi.mjs', 'tools/abi.mjs'],
  ['tools/build.mjs', 'node:path', undefined],
])('in %s, the import of %s resolves to %s', (path, specifier, expected) => {
  expect(resolveImport(path, specifier)).toBe(expected);
});

describe('the rule of directions', () => {
  test.each([
    [`${SOURCE}/kernel/a.ts`, "import { b } from '../detectors/b.js';"],
    [`${SOURCE}/snapshot/deep/a.ts`, "import { b } from '../../near/b.js';"],
    [`${SOURCE}/records/a.ts`, "const b = await import('../near/b.js');"],
    [`${SOURCE}/snapshot/a.ts`, "new Worker(new URL('../threads/worker.js', import.meta.url));"],
    [`${SOURCE}/base/errors.ts`, "import { b } from '../kernel/b.js';"],
    [`${SOURCE}/engines/a.ts`, "import { b } from '../index.js';"],
    [`${ASSEMBLY}/lib/a.ts`, "import { B } from '../scan/b';"],
    [`${ASSEMBLY}/lib/a.ts`, "import { b } from '../witness';"],
    [`${SOURCE}/run/run.ts`, "import { b } from './open.js';"],
    [`${SOURCE}/checkpoint/note.ts`, "import { b } from './resume.js';"],
    [`${SOURCE}/checkpoint/checkpoint.ts`, "import { b } from './note.js';"],
    [`${SOURCE}/checkpoint/openstate.ts`, "import type { RunState } from './runstate.js';"],
    [`${SOURCE}/plan/stream.ts`, "import { b } from './plan.js';"],
    [`${SOURCE}/plan/bloom.ts`, "import { b } from './registry.js';"],
    [`${SOURCE}/plan/grid.ts`, "import { b } from './bloom.js';"],
    [`${SOURCE}/detectors/settings.ts`, "import { b } from './detector.js';"],
    [`${SOURCE}/near/settings.ts`, "import { b } from './detector.js';"],
    [`${SOURCE}/jobs/spill/job.ts`, "import { b } from '../exact/job.js';"],
    [`${SOURCE}/cli/kafka/settings.ts`, "import { b } from '../kafka.js';"],
    ['tools/support/median.mjs', "import { timed } from '../../bench/lib/rounds.mjs';"],
    ['engines/common/flags.mjs', "import { repository } from '../../tools/support/paths.mjs';"],
    ['systems/support/random.mjs', "import { load } from '../failures/support/load.mjs';"],
  ])('refuses an import from a later layer: %s with %s', (path, text) => {
    expect(problemsOf(path, text)).toEqual([expect.stringMatching(/: imports .* comes after /)]);
  });

  test('refuses an import between folders of the same layer', () => {
    expect(problemsOf(`${ASSEMBLY}/near/a.ts`, "import { b } from '../detectors/b';")).toEqual([
      `${ASSEMBLY}/near/a.ts: imports ${ASSEMBLY}/detectors/b.ts, but near and detectors are side by side`,
    ]);
  });

  test.each([
    ['bench/kafka.mjs', '../systems/kafka/support/worker.mjs', 'bench and systems'],
    ['systems/kafka/opening.mjs', '../../bench/lib/rounds.mjs', 'systems and bench'],
    ['systems/kafka/main.mjs', '../failures/support/load.mjs', 'kafka and failures'],
  ])('refuses in %s the import of %s', (path, module, names) => {
    expect(problemsOf(path, `import { a } from '${module}';`)).toEqual([
      expect.stringMatching(new RegExp(`^${path}: imports .*, but ${names} are side by side$`)),
    ]);
  });

  test('refuses a folder, and a file of an ordered folder, that is in no layer', () => {
    expect(problemsOf(`${SOURCE}/elsewhere/a.ts`, '')).toEqual([expect.stringContaining('is in no layer')]);
    expect(problemsOf(`${SOURCE}/run/elsewhere.ts`, '')).toEqual([expect.stringContaining('is in no layer')]);
    expect(problemsOf(`${SOURCE}/plan/elsewhere/a.ts`, '')).toEqual([expect.stringContaining('is in no layer')]);
  });

  test.each([
    [`${SOURCE}/detectors/pocketwindow.ts`, "import { b } from './pocket.js';\nimport { c } from './contract.js';"],
    [`${SOURCE}/claims/a.ts`, "import { b } from '.../kernel/b.js';\nimport { c } from './c.js';"],
    [`${SOURCE}/snapshot/deep/a.ts`, "import { b } from '../b.js';\nimport { c } from '../../base/errors.js';"],
    [`${ASSEMBLY}/scan/a.ts`, "import { b } from '../lib/b';\nimport { c } from './c';"],
    ['bench/kafka.mjs', "import { Cluster } from '../tools/support/kafka/broker.mjs';"],
    ['packages/firstseen/test/cli/a.test.ts', "import { run } from '../../../../tools/cases/run.mjs';"],
  ])('accepts %s with %s', (path, text) => {
    expect(problemsOf(path, text)).toEqual([]);
  });
});

describe('the rule of packages', () => {
  const path = 'packages/lab/src/index.ts';

  test.each([
    "import { b } from '../../firstseen/src/kernel/b.js';",
    "import { b } from '../../../tools/b.mjs';",
    "import { b } from 'firstseen/dist/kernel/b.js';",
  ])('refuses an import from another package that bypasses its entries: %s', (text) => {
    expect(problemsOf(path, text)).toHaveLength(1);
  });

  test.each([
    "import { b } from 'firstseen';",
    "import { b } from 'firstseen/internal';",
    "import { b } from './key.js';",
    "import { b } from 'node:fs';",
  ])('accepts %s', (text) => {
    expect(problemsOf(path, text)).toEqual([]);
  });
});

test('AssemblyScript may import the library of another kernel, but TypeScript may not', () => {
  const text = "import { b } from '../../../firstseen/assembly/lib/b';";
  expect(problemsOf('packages/lab/assembly/lib/a.ts', text)).toEqual([]);
  expect(problemsOf('packages/lab/src/streams/a.ts', text)).toHaveLength(1);
});

describe('files that run outside Node', () => {
  const portable = `${SOURCE}/snapshot/a.ts`;

  test.each([
    "import { readFileSync } from 'node:fs';",
    "import 'node:fs';",
    "const { open } = await import('node:fs/promises');",
  ])('must not contain %s', (text) => {
    expect(problemsOf(portable, text)).toEqual([expect.stringContaining('it has to run outside Node')]);
  });

  test('must not import a file that imports a module of Node', () => {
    const texts = new Map([
      [`${SOURCE}/index.ts`, "export { b } from './engines/b.js';"],
      [`${SOURCE}/engines/b.ts`, "import { c } from './c.js';"],
      [`${SOURCE}/engines/c.ts`, "import { join } from 'node:path';"],
    ]);
    expect(portabilityProblems(texts)).toEqual([
      [`${SOURCE}/engines/c.ts`, `imports node:path, but ${SOURCE}/index.ts needs it, which has to run outside Node`],
    ]);
  });

  test('other files may import modules of Node', () => {
    expect(problemsOf(`${SOURCE}/engines/a.ts`, "import { join } from 'node:path';")).toEqual([]);
  });
});

test('a source file has at most 400 lines', () => {
  expect(problemsOf(`${SOURCE}/snapshot/a.ts`, '\n'.repeat(400))).toEqual([]);
  expect(problemsOf(`${SOURCE}/snapshot/a.ts`, '\n'.repeat(401))).toEqual([
    `${SOURCE}/snapshot/a.ts: has 401 lines; the limit is 400`,
  ]);
  expect(problemsOf('packages/firstseen/test/a.test.ts', '\n'.repeat(401))).toEqual([]);
});

test.each([
  `// ${'TO'}${'DO'}: later`,
  `// ${'FIX'}${'ME'}`,
  `it${'.only'}('a', () => undefined);`,
  `test${'.skip'}('a');`,
])('refuses leftovers such as %s', (text) => {
  expect(problemsOf('packages/firstseen/test/a.test.ts', text)).toHaveLength(1);
});

describe('names of flags', () => {
  test.each([
    ["throw new Error('give --max-record');"],
    ['const text = "--key a";'],
    [`const text = \`the flag --time-key was given ${hole('twice')}\`;`],
    [`const text = \`${hole('name')} was given; leave --format out\`;`],
    ['const text = `first line\nsecond line with --new-run`;'],
  ])('are refused in strings of the library: %s', (text) => {
    expect(problemsOf(`${SOURCE}/engines/a.ts`, text)).toEqual([expect.stringContaining('names the flag --')]);
  });

  test.each([
    [`${SOURCE}/cli/kafka/a.ts`, "const text = 'give --key';"],
    [`${SOURCE}/engines/a.ts`, '// Rendered as --key by the command.\nlet left = 2;\n--left;'],
    [`${SOURCE}/engines/a.ts`, "const dashes = 'a--b, a -- b';"],
    ['packages/lab/src/cli/a.ts', "const text = 'give --key';"],
  ])('are accepted in %s: %s', (path, text) => {
    expect(problemsOf(path, text)).toEqual([]);
  });

  test('are searched in every string and every part of a template', () => {
    expect(stringsOf(`const a = 'b'; // 'c'\nconst d = \`e${hole("'f'")}g${hole('a')}h\`;`)).toEqual([
      'b',
      'e',
      'f',
      'g',
      'h',
    ]);
  });
});

describe('doc comments', () => {
  const problemsIn = (comment) => problemsOf(`${SOURCE}/engines/a.ts`, `${comment}\nexport const a = 1;\n`);

  test.each(['/** What is compared. */', '/**\n * Whether it is. Another sentence?\n */', '/** Who waits. */'])(
    'do not begin with a headless clause: %j',
    (comment) => {
      expect(problemsIn(comment)).toEqual([expect.stringContaining('begins a comment with a headless clause')]);
    },
  );

  test.each([
    '/** The pending compaction. */',
    '/** Tells if it is. What follows is another matter. */',
    '/** Which of them is it? */',
    '// What is compared.',
  ])('begin with a noun phrase, a verb or a question: %j', (comment) => {
    expect(problemsIn(comment)).toEqual([]);
  });

  test('of tests may begin with any word', () => {
    expect(problemsOf('packages/firstseen/test/a.ts', '/** What is compared. */')).toEqual([]);
  });
});

describe('names of locals', () => {
  /** A function of as many lines that has a statement. */
  const functionOf = (lines, statement) =>
    ['function sum() {', `  ${statement}`, ...Array.from({ length: lines - 3 }, () => '  step();'), '}', ''].join('\n');
  const problemsIn = (text) => problemsOf(`${SOURCE}/engines/a.ts`, text);

  test.each([
    ['a constant', 'const found = look();', 'found'],
    ['a variable', 'let taken = 0;', 'taken'],
    ['an item of a list', 'const [first, ...others] = names;', 'others'],
    ['a member under another name', 'const { options: asked } = request;', 'asked'],
    ['what is left of an object', 'const { name, ...given } = options;', 'given'],
  ])('that say nothing are refused for %s', (_kind, statement, name) => {
    const problem = `line 2: the local ${name} is not named for what it holds`;
    expect(problemsIn(functionOf(11, statement))).toEqual([`${SOURCE}/engines/a.ts: ${problem}`]);
  });

  test('that say nothing are refused for parameters, and in modules', () => {
    expect(problemsIn(functionOf(11, 'step();').replace('()', '(known: string)'))).toHaveLength(1);
    expect(problemsIn('const kept = new Map<string, string>();\n')).toHaveLength(1);
  });

  test.each([
    ['a function that a reader sees at once', functionOf(10, 'const found = look();')],
    ['a member under its own name', functionOf(11, 'const { found } = plan;')],
    ['a parameter of a type', 'export interface Source {\n  compare(known: Note): boolean;\n}\n'],
    ['a member of an object', functionOf(11, 'step({ given: 1 });')],
    ['a name that says more', functionOf(11, 'const foundRecords = look();')],
  ])('accept %s', (_kind, text) => {
    expect(problemsIn(text)).toEqual([]);
  });

  test('of tests may be any', () => {
    expect(problemsOf('packages/firstseen/test/a.ts', 'const found = 1;\n')).toEqual([]);
  });
});
