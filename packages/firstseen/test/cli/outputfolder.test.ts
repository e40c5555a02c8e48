// An output folder has a file for each input, and never a part of one under its name.

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { runFiles } from '../../src/jobs/exact/run.js';
import { runDocuments } from '../../src/jobs/near/run.js';
import type { RunProgress } from '../../src/run/options.js';
import { temporaryFolder } from './support/command.js';

const BIG = 60_000;

function linesOf(from: number, to: number): string {
  let text = '';
  for (let i = from; i < to; i++) text += `{"id":${i},"text":"a${i} b${i} c${i} d${i} e${i} f${i}"}\n`;
  return text;
}

/** A folder with two files of records, the second compressed and below another folder. */
function shards(count = 40) {
  const folder = temporaryFolder(onTestFinished);
  const [input, output] = [join(folder, 'in'), join(folder, 'out')];
  mkdirSync(join(input, 'more'), { recursive: true });
  const [plain, packed] = [join(input, '0.jsonl'), join(input, 'more', '1.jsonl.gz')];
  writeFileSync(plain, linesOf(0, count));
  writeFileSync(packed, gzipSync(linesOf(count / 2, 2 * count)));
  return { folder, input, output, plain, packed };
}

const exact = (inputs: string[], outputFolder: string) => ({
  ...{ inputs, outputFolder, keys: ['id'] },
  detector: { algorithm: 'exact' as const, memory: '16MiB' },
});

test('each input of a folder has a file with its name and compression', async () => {
  const { input, output } = shards();
  await runDocuments({ inputs: [input], outputFolder: output });
  expect(readFileSync(join(output, '0.jsonl'), 'utf8')).toBe(linesOf(0, 40));
  expect(gunzipSync(readFileSync(join(output, 'more', '1.jsonl.gz'))).toString()).toBe(linesOf(40, 80));
});

test('a run that fails leaves no part of a file', async () => {
  const { plain, packed, output } = shards();
  writeFileSync(plain, `${linesOf(0, 40)}{"id":`);
  await expect(runFiles(exact([packed, plain], output))).rejects.toMatchObject({ code: 'E_RECORD' });
  expect(readdirSync(output)).toEqual(['1.jsonl.gz']);
});

test('a run that was stopped goes on to the same files', async () => {
  const { folder, plain, packed, output } = shards(BIG);
  const whole = join(folder, 'whole');
  await runFiles(exact([packed, plain], whole));
  const state = join(folder, 'state');
  const seen: boolean[] = [];
  for (let runs = 0; runs < 3; runs++) {
    const stop = new AbortController();
    const onProgress = ({ inputBytes }: RunProgress) => {
      if (runs < 2 && inputBytes > 0) stop.abort();
    };
    const { interrupted } = await runFiles({
      ...exact([packed, plain], output),
      state,
      signal: stop.signal,
      onProgress,
    });
    seen.push(interrupted);
    for (const name of ['0.jsonl', '1.jsonl.gz'].filter((one) => existsSync(join(output, one)))) {
      expect(readFileSync(join(output, name)).equals(readFileSync(join(whole, name)))).toBe(true);
    }
  }
  expect(seen).toEqual([true, true, false]);
  for (const name of ['0.jsonl', '1.jsonl.gz']) {
    expect(readFileSync(join(output, name)).equals(readFileSync(join(whole, name)))).toBe(true);
  }
  expect(readdirSync(output).sort()).toEqual(['0.jsonl', '1.jsonl.gz']);
});

test('a table has its header in each file', async () => {
  const { folder, output } = shards();
  const files = [join(folder, 'a.csv'), join(folder, 'b.csv')] as const;
  writeFileSync(files[0], 'id\n1\n2\n');
  writeFileSync(files[1], 'id\n2\n3\n');
  await runFiles(exact([...files], output));
  expect(readFileSync(join(output, 'b.csv'), 'utf8')).toBe('id\n3\n');
});

test('nothing is written when two files would have one name, or the folder is in the input', async () => {
  const { input, packed, output } = shards();
  writeFileSync(join(input, '1.jsonl.gz'), gzipSync(''));
  await expect(runFiles(exact([packed, join(input, '1.jsonl.gz')], output))).rejects.toMatchObject({ code: 'E_USAGE' });
  expect(existsSync(output)).toBe(false);
  const inside = join(input, 'out');
  await expect(runDocuments({ inputs: [input], outputFolder: inside })).rejects.toMatchObject({ code: 'E_USAGE' });
  await expect(runFiles(exact([packed], join(input, 'more')))).rejects.toMatchObject({ code: 'E_USAGE' });
  expect(existsSync(inside)).toBe(false);
});

test('what cannot be a folder, or is not writable, is named', async () => {
  const { folder, input } = shards();
  const file = join(folder, 'file');
  writeFileSync(file, '');
  const refused = { code: 'E_OUTPUT', message: expect.stringContaining(file) };
  await expect(runFiles(exact([input], file))).rejects.toMatchObject(refused);
  await expect(runFiles(exact([input], join(file, 'below')))).rejects.toMatchObject(refused);
});
