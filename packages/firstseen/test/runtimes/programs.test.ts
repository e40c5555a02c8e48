// The packed library in Node, Deno, Bun and Electron.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { blocks, promisedLines } from '../support/blocks.js';
import { packageFolder } from '../support/folders.js';
import {
  expectedAnswers,
  libraryFolder,
  outputOf,
  type ProgramAnswers,
  pathOf,
  runtimeNames,
} from './support/runtime.js';

/** The arguments with which a runtime runs a program. The program of the package of Deno is a program of Node. */
function commandOf(name: string, program: string): [string, ...string[]] {
  const path = pathOf(name);
  if (name === 'Deno') return [process.execPath, path, 'run', '--allow-read', '--allow-env', program];
  return [path, program];
}

test('the expected answers contain both verdicts, and one code for each error', () => {
  expect(expectedAnswers).toMatchObject({
    dedup: ['a', 'b', 'c'],
    dedupStream: ['a', 'b', 'c'],
    near: ['duplicate', 'distinct'],
    errors: ['E_MEMORY', 'E_ALGORITHM', 'E_PARAMETER', 'E_SNAPSHOT', 'E_KEY'].map((code) => `FirstseenError ${code}`),
  });
  expect(new Set(Object.values(expectedAnswers.families as object)).size).toBeGreaterThan(5);
});

/** The runtimes and tools that have tests of their own. */
const otherNames = ['workerd', 'Jest', 'edge runtime', 'Metro', 'Parcel'];
const programNames = runtimeNames.filter((name) => !otherNames.includes(name));

describe.each(programNames)('%s', (name) => {
  test('gives the same answers, also with the kernel of the file', async () => {
    const { own, given }: ProgramAnswers = JSON.parse(await outputOf(libraryFolder, ...commandOf(name, 'program.mjs')));
    expect(own).toEqual(expectedAnswers);
    expect(given).toEqual(expectedAnswers);
  });
});

const nodeNames = runtimeNames.filter((name) => name.startsWith('Node '));

describe.each(nodeNames)('%s', (name) => {
  const programs = blocks('js', readFileSync(join(packageFolder, 'README.md'), 'utf8'));

  test.each(programs.map((program, i) => [i + 1, program] as const))(
    'runs program %i of the README',
    async (i, program) => {
      const node = pathOf(name);
      writeFileSync(join(libraryFolder, `readme-${i}.mjs`), program);
      const printed = await outputOf(libraryFolder, node, `readme-${i}.mjs`);
      expect(printed.trimEnd().split('\n')).toEqual(promisedLines(program));
    },
  );

  test('runs the command', async () => {
    const node = pathOf(name);
    writeFileSync(join(libraryFolder, 'lines.txt'), 'a\nb\na\n');
    const bin = 'node_modules/firstseen/bin/firstseen.js';
    expect(await outputOf(libraryFolder, node, bin, 'lines.txt')).toBe('a\nb\n');
  });

  test('loads the library with require, and one copy where require takes ES modules', async () => {
    const node = pathOf(name);
    const program = `
      const { create } = require('firstseen');
      import('firstseen').then((other) => console.log(typeof create, other.create === create));`;
    writeFileSync(join(libraryFolder, 'required.cjs'), program);
    const takesModules = name !== nodeNames[0];
    expect(await outputOf(libraryFolder, node, '--no-warnings', 'required.cjs')).toBe(`function ${takesModules}\n`);
  });
});

test('Jest with its defaults runs tests of a program with the library', async () => {
  const jest = pathOf('Jest');
  const folder = join(libraryFolder, 'jest');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{}');
  writeFileSync(
    join(folder, 'program.test.js'),
    `const { create, FirstseenError } = require('firstseen');
     test('observes, and tells errors apart', async () => {
       const detector = await create({ memory: '1MiB' });
       expect([detector.observe('a'), detector.observe('a')]).toEqual(['distinct', 'duplicate']);
       await expect(create({ memory: 'x' })).rejects.toThrow(FirstseenError);
     });`,
  );
  // It prints to standard error, and ends with another code when a test fails.
  expect(await outputOf(folder, process.execPath, jest, '--rootDir', folder)).toBe('');
});
