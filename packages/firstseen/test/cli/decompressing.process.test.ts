// Compressed inputs that are decompressed in a thread of a run on several threads, which starts with the first long one.

import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inLongForm, sampleNote, sampleOf } from '../support/form.js';
import { randomFrom } from '../support/random.js';
import { finished, runFirstseen, startFirstseen } from './support/command.js';

const folder = mkdtempSync(join(tmpdir(), 'firstseen-decompressing-'));
afterAll(() => rmSync(folder, { recursive: true }));
const LINES = inLongForm(500_000, 130_000);
/** Numbers of a line. Longer lines need fewer records for as many bytes. */
const LINE_NUMBERS = inLongForm(1, 4);
const FLAGS = ['-f', 'lines', '--max-record', '64KiB', '-m', '4MiB'];
/** The least stored bytes of a file with which the thread starts. */
const MIN_BYTES = 2 ** 22;

beforeAll(() => {
  const random = randomFrom(11);
  const line = () => `${Math.floor(random() * 2 ** 20)} ${Array.from({ length: LINE_NUMBERS }, random).join(' ')}`;
  const lines = Array.from({ length: LINES }, line);
  const repeated = lines.map((own, i) => (random() < 0.3 ? lines[Math.floor(random() * i)] : own));
  const half = Math.floor(LINES / 2);
  const members = [repeated.slice(0, half), repeated.slice(half)].map((part) => gzipSync(`${part.join('\n')}\n`));
  const whole = Buffer.concat(members);
  expect(whole.length).toBeGreaterThan(MIN_BYTES + 100_000);
  const damaged = Buffer.from(whole);
  damaged.fill(0xff, damaged.length - 100_000, damaged.length - 99_000);
  for (const [name, bytes] of Object.entries({
    'whole.gz': whole,
    'cut.gz': whole.subarray(0, -5000),
    'damaged.gz': damaged,
    'followed.gz': Buffer.concat([whole, Buffer.from('more')]),
  })) {
    writeFileSync(join(folder, name), bytes);
  }
});

async function runOn(threads: number, args: readonly string[]) {
  rmSync(join(folder, `out${threads}`), { force: true });
  const { code, stderr } = await runFirstseen(
    [...args, ...FLAGS, '--threads', String(threads), '-o', `out${threads}`],
    { cwd: folder },
  );
  const summary = stderr.toString().replace(/ in [\d.]+ s.*|\d[\d,.]* records\/s.*/g, '');
  return { code, summary, output: readFileSync(join(folder, `out${threads}`)) };
}

test.each(['whole.gz', ...sampleOf(['cut.gz', 'damaged.gz', 'followed.gz'], 1)])(
  `%s is read as by one thread${sampleNote}`,
  async (name) => {
    const [one, two] = [await runOn(1, [name]), await runOn(2, [name])];
    expect(two.output.length).toBeGreaterThan(MIN_BYTES);
    expect(two.output.equals(one.output)).toBe(true);
    expect(two.code).toBe(one.code);
    expect(one.code === 0).toBe(name === 'whole.gz');
    const error = ({ summary }: typeof one) => summary.split('\n').filter((text) => text.includes('[E_'));
    expect(error(two)).toEqual(error(one));
  },
);

test('files that follow each other are read as by one thread', async () => {
  const lines = Array.from({ length: 1000 }, (_, i) => `short ${i}\n`).join('');
  writeFileSync(join(folder, 'short.gz'), gzipSync(lines));
  writeFileSync(join(folder, 'plain.txt'), 'plain\n');
  writeFileSync(join(folder, 'none.gz'), gzipSync(''));
  const again = inLongForm(['whole.gz'], []);
  const names = ['short.gz', 'whole.gz', 'none.gz', 'plain.txt', ...again, 'short.gz', 'damaged.gz'];
  const all = [...names, '--emit', 'all'];
  const [one, two] = [await runOn(1, all), await runOn(2, all)];
  expect(one.code).toBe(1);
  expect(two.code).toBe(1);
  expect(two.output.equals(one.output)).toBe(true);
});

test('a run goes on in the middle of a compressed input', async () => {
  const state = ['--state', 's', '--checkpoint', '10ms'];
  const args = ['whole.gz', ...FLAGS, '--threads', '2', '-o', 'resumed', ...state];
  const child = startFirstseen(args, { cwd: folder });
  const result = finished(child);
  const size = (name: string) => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0;
  const isInMiddle = () => size('resumed') >= MIN_BYTES && size('s') > 0;
  while (child.exitCode === null && !isInMiddle()) await new Promise((resolve) => setTimeout(resolve, 1));
  child.kill('SIGKILL');
  await result;
  expect(await runFirstseen(args, { cwd: folder })).toMatchObject({ code: 0 });
  const { output } = await runOn(1, ['whole.gz']);
  expect(readFileSync(join(folder, 'resumed')).equals(output)).toBe(true);
});
