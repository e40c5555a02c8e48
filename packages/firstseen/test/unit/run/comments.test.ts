// Lines that are not records give the same output however a run comes to read them: at once, as a file grows, or with a folder for what
// memory cannot hold.

import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { runFiles } from '../../../src/jobs/exact/run.js';
import type { RunOptions } from '../../../src/run/runoptions.js';
import { temporaryFolder } from '../../cli/support/command.js';

const detector = { algorithm: 'exact', memory: '2MiB', witness: false } as const;

let folder: string;
const at = (name: string) => join(folder, name);

beforeEach(() => {
  folder = temporaryFolder();
});

/** The output of runs over a file that grows by these parts. */
async function outputOf(name: string, parts: readonly string[], options: Partial<RunOptions>): Promise<string> {
  writeFileSync(at(name), '');
  for (const part of parts) {
    appendFileSync(at(name), part);
    await runFiles({ ...{ inputs: [at(name)], output: at('out') }, detector, ...options });
  }
  return readFileSync(at('out'), 'utf8');
}

const table = 'title\n## "a\nid,name\n1,a\n##,"\n1,b\n2,"c\n## d"\n';
const written = 'title\n## "a\nid,name\n1,a\n##,"\n2,"c\n## d"\n';
const tableOptions = { keys: ['id'], comment: '##', skipLines: 1 };

test('a growing table whose header, comments and fields are cut', async () => {
  for (const cut of [3, 6, 7, 13, 20, 30, 31, 33, 36, 45]) {
    const parts = [table.slice(0, cut), table.slice(cut)];
    const state = at(`state ${cut}`);
    expect(await outputOf(`${cut}.csv`, parts, { ...tableOptions, state, output: at('out') })).toBe(written);
    writeFileSync(at('out'), '');
  }
});

test('growing lines whose skipped lines are cut', async () => {
  const parts = ['tit', 'le\nti', 'tle\na\n', '# a\na\n#', ' b\nb\n'];
  const output = await outputOf('in', parts, { skipLines: 2, comment: '#', state: at('state') });
  expect(output).toBe('title\ntitle\na\n# a\n# b\nb\n');
});

test('a run that keeps the last records writes comments and skipped lines once', async () => {
  mkdirSync(at('spill'));
  const options = { ...tableOptions, keep: 'last', spill: at('spill') } as const;
  expect(await outputOf('in.csv', [table], options)).toBe('title\n## "a\nid,name\n##,"\n1,b\n2,"c\n## d"\n');
});

test.each([
  [{ comment: '' }, 'comment'],
  [{ comment: 'a\nb' }, 'comment'],
  [{ comment: '#"' }, 'comment'],
  [{ skipLines: -1 }, 'skipLines'],
  [{ skipLines: 1.5 }, 'skipLines'],
])('refuses %o', async (options, option) => {
  writeFileSync(at('in.csv'), table);
  const run = runFiles({ ...{ inputs: [at('in.csv')], output: at('out') }, detector, ...options });
  await expect(run).rejects.toMatchObject({ code: 'E_USAGE', message: expect.stringMatching(`^${option} is `) });
});
