// An option that tools/scaffold.mjs adds is a flag of the command and an option of the library without another change. The test uses
// a copy of the library.

import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sampleNote, sampleOf } from '../../packages/firstseen/test/support/form.ts';
import { optionTable } from '../docs/options.mjs';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const NAME = 'fileMode';
const FLAG = '--file-mode';
const TIMEOUT_MILLISECONDS = 600_000;

const files = ['packages/firstseen/src/options/run.ts', 'packages/firstseen/src/run/runoptions.ts'];

describe('a scaffolded option', { timeout: TIMEOUT_MILLISECONDS }, () => {
  const copy = mkdtempSync(join(tmpdir(), 'firstseen-option-'));
  const library = join(copy, 'packages/firstseen');
  const node = (...args) => run(process.execPath, args, { cwd: copy, maxBuffer: 2 ** 26 });
  const command = async (...args) => (await node(join(library, 'dist/cli/main.js'), ...args)).stdout;
  const textsIn = (folder) => files.map((path) => readFileSync(join(folder, path), 'utf8'));
  let internal;
  let api;

  beforeAll(async () => {
    for (const path of ['packages/firstseen', 'tools', 'package.json', 'README.md', 'LICENSE']) {
      cpSync(join(root, path), join(copy, path), {
        recursive: true,
        filter: (source) => !/[\\/](?:node_modules|test|dist)$/.test(source),
      });
    }
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'), 'junction');
    await node('tools/scaffold.mjs', '--option', NAME);
    // The kernels stay as they are, so only the modules are bundled.
    writeFileSync(join(copy, 'bundle.mjs'), "await (await import('./tools/build/bundle.mjs')).bundleLibrary();\n");
    await node('bundle.mjs');
    mkdirSync(join(library, 'dist'), { recursive: true });
    internal = await import(pathToFileURL(join(library, 'dist/internal.js')).href);
    api = await import(pathToFileURL(join(library, 'dist/node.js')).href);
  }, TIMEOUT_MILLISECONDS);
  afterAll(() => rmSync(copy, { recursive: true }));

  test(`is in the help of each command that takes it, in the completions and in the manual${sampleNote}`, async () => {
    const kinds = sampleOf(['man', 'complete-bash', 'complete-zsh', 'complete-fish'], 1);
    for (const args of [['--help'], ['near', '--help'], ...kinds.map((kind) => ['--generate', kind])]) {
      const text = (await command(...args)).replaceAll('\\', '');
      expect(text, args.join(' ')).toMatch(/--file-mode|-l file-mode/);
    }
    expect(await command('motifs', '--help')).not.toContain(FLAG);
  });

  test('is checked in the library, and named in its errors', async () => {
    const refused = { code: 'E_USAGE', option: NAME, expected: 'a text' };
    await expect(api.runFiles({ inputs: ['a'], [NAME]: 5 })).rejects.toMatchObject(refused);
    await expect(api.runFiles({ inputs: ['a'], fileMod: 'x' })).rejects.toThrow(NAME);
    expect(internal.flagOfOption(NAME)).toBe(FLAG);
  });

  test('is in the tables of the docs', () => {
    expect(optionTable(internal.optionFacts('exact'))).toContain(`| \`${NAME}\` | \`${FLAG}\` | what ${NAME} is`);
  });

  test('is refused if it exists, and leaves nothing when it is removed', async () => {
    await expect(node('tools/scaffold.mjs', '--option', NAME)).rejects.toMatchObject({ code: 2 });
    await node('tools/scaffold.mjs', '--option', NAME, '--remove');
    expect(textsIn(copy)).toEqual(textsIn(root));
    await expect(node('tools/scaffold.mjs', '--option', NAME, '--remove')).rejects.toMatchObject({ code: 2 });
  });
});
