// Runs that follow a log over its growth and its rotation, and are stopped and killed meanwhile.

import {
  appendFileSync,
  copyFileSync,
  existsSync,
  readFileSync,
  renameSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, test } from 'vitest';
import { coverOf, inLongForm, sampleNote, sampleOf } from '../support/form.js';
import { requiresPosix } from '../support/platform.js';
import { finished, startFirstseen, temporaryFolder, waiting } from './support/command.js';
import { runCommand } from './support/runner.js';

const flags = [
  ...['-m', '64KiB', '--max-record', '64KiB', '-a', 'exact', '--state', 's'],
  ...['-o', 'out', '--checkpoint', '50ms'],
];

let cwd: string;

const at = (name: string) => join(cwd, name);
const append = (name: string, content: string) => appendFileSync(at(name), content);
const read = (name: string) => (existsSync(at(name)) ? readFileSync(at(name), 'utf8') : '');
const lines = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => `line ${from + i}\n`).join('');

function follow(...args: string[]) {
  const child = startFirstseen(['app.log', '--follow', ...args, ...flags], { cwd });
  return { child, ended: finished(child) };
}

/** Waits until the output is as long as expected; its content is compared by the test. */
async function written(expected: string): Promise<void> {
  while (read('out').length < expected.length) await sleep(20);
  expect(read('out')).toBe(expected);
}

/** Waits until a state was saved, without which a later run does not know what was read. */
async function saved(): Promise<void> {
  while (!existsSync(at('s'))) await sleep(20);
}

async function stop({ child, ended }: ReturnType<typeof follow>): Promise<void> {
  child.kill('SIGTERM');
  const { code, stderr } = await ended;
  expect(stderr).toMatch(
    /^firstseen: stopped by SIGTERM after [\d,]+ records?; run the same command again to continue\n$/,
  );
  expect(code).toBe(143);
}

const rotations: Readonly<Record<string, () => void>> = {
  'renaming and a new file': () => {
    renameSync(at('app.log'), at('app.log.1'));
    writeFileSync(at('app.log'), '');
  },
  'copying and emptying': () => {
    copyFileSync(at('app.log'), at('app.log.1'));
    truncateSync(at('app.log'));
  },
};

beforeEach(() => {
  requiresPosix('signals that a process can handle');
  cwd = temporaryFolder();
  writeFileSync(at('app.log'), lines(0, 100));
});

describe.each(sampleOf(Object.keys(rotations), 1))(`a log that is rotated by %s${sampleNote}`, (rotation) => {
  const rotate = rotations[rotation] as () => void;

  test('is followed, and a later run continues', async () => {
    const run = follow();
    await written(lines(0, 100));
    append('app.log', 'line ');
    await sleep(300);
    append('app.log', '100\nline 5\n');
    await written(lines(0, 101));
    rotate();
    append('app.log', lines(101, 300));
    await written(lines(0, 300));
    append('app.log', 'line 3');
    await stop(run);
    expect(read('out')).toBe(lines(0, 300));
    append('app.log', '00\n');
    const second = follow();
    await written(lines(0, 301));
    await stop(second);
  });

  test('while no run follows it is read to its end, and then the new one', async () => {
    const run = follow();
    await written(lines(0, 100));
    await saved();
    run.child.kill('SIGKILL');
    await run.ended;
    append('app.log', lines(100, 150));
    rotate();
    append('app.log', lines(150, 400));
    const second = follow();
    await written(lines(0, 400));
    await stop(second);
  });
});

describe('a log that is rotated twice', () => {
  const rename = () => {
    if (existsSync(at('app.log.1'))) renameSync(at('app.log.1'), at('app.log.2'));
    renameSync(at('app.log'), at('app.log.1'));
  };

  test('within a second is read whole', async () => {
    const run = follow();
    await written(lines(0, 100));
    rename();
    writeFileSync(at('app.log'), lines(100, 150));
    rename();
    writeFileSync(at('app.log'), lines(150, 200));
    await written(lines(0, 200));
    await stop(run);
  });

  test('around a kill is read whole', async () => {
    const run = follow();
    await written(lines(0, 100));
    await saved();
    rename();
    writeFileSync(at('app.log'), lines(100, 150));
    run.child.kill('SIGKILL');
    await run.ended;
    rename();
    writeFileSync(at('app.log'), lines(150, 200));
    const second = follow();
    await written(lines(0, 200));
    await stop(second);
  });
});

const begun = [
  { read: 'nothing', header: '', times: 1 },
  { read: 'nothing', header: '', times: 2 },
  { read: 'only its header', header: '# fields: text number\n', times: 1 },
  { read: 'only its header', header: '# fields: text number\n', times: 2 },
];
test.each(coverOf(begun, ({ read, times }) => [read, `${times}`]))(
  `a log of which $read was read, and that is copied and emptied $times times between two looks, is read whole${sampleNote}`,
  async ({ header, times }) => {
    writeFileSync(at('app.log'), header);
    const run = follow();
    while (!existsSync(at('s')) || read('out') !== header) await sleep(20);
    await sleep(300);
    for (let i = 0; i < times; i++) {
      append('app.log', lines(i * 10, i * 10 + 10));
      copyFileSync(at('app.log'), at(`app.log.${times - i}`));
      truncateSync(at('app.log'));
      append('app.log', header);
    }
    append('app.log', lines(times * 10, times * 10 + 10));
    await written(header + lines(0, times * 10 + 10));
    await stop(run);
  },
);

test('lines that are written to a rotated log after it was left are read while the new one is followed', async () => {
  const run = follow();
  await written(lines(0, 100));
  renameSync(at('app.log'), at('app.log.1'));
  writeFileSync(at('app.log'), lines(100, 200));
  await written(lines(0, 200));
  append('app.log.1', 'late\n');
  await written(`${lines(0, 200)}late\n`);
  append('app.log', lines(200, 300));
  await written(`${lines(0, 200)}late\n${lines(200, 300)}`);
  await stop(run);
});

test('lines that are written just before a log is copied and emptied are read from the copy', async () => {
  const run = follow();
  await written(lines(0, 100));
  append('app.log', `${lines(100, 200)}unfini`);
  copyFileSync(at('app.log'), at('app.log.1'));
  truncateSync(at('app.log'));
  append('app.log', lines(200, 300));
  await written(`${lines(0, 200)}unfini\n${lines(200, 300)}`);
  await stop(run);
});

test('a line that is unfinished at a rotation is completed', async () => {
  const run = follow();
  await written(lines(0, 100));
  append('app.log', 'unfini');
  renameSync(at('app.log'), at('app.log.1'));
  writeFileSync(at('app.log'), lines(100, 200));
  await sleep(2500);
  append('app.log.1', 'shed\n');
  await written(`${lines(0, 100)}unfinished\n${lines(100, 200)}`);
  await stop(run);
});

test('a log that does not exist yet is waited for', async () => {
  const { child, ended } = follow();
  await written(lines(0, 100));
  await saved();
  child.kill('SIGKILL');
  await ended;
  append('app.log', lines(100, 200));
  renameSync(at('app.log'), at('app.log.1'));
  const again = follow();
  await waiting(again.child);
  append('app.log', lines(200, 300));
  await written(lines(0, 300));
  again.child.kill('SIGTERM');
  const { code, stderr } = await again.ended;
  expect(stderr).toMatch(
    /^firstseen: warning: app\.log does not exist yet; waiting for it \[E_INPUT\]\nfirstseen: stopped by SIGTERM [^\n]*\n$/,
  );
  expect(code).toBe(143);
});

test('a log in a folder that does not exist is refused', async () => {
  const { code, stderr } = await runCommand(['logs/app.log', '--follow', ...flags], { cwd });
  expect(stderr).toBe('firstseen: cannot read logs/app.log: there is no such file [E_INPUT]\n');
  expect(code).toBe(1);
});

test('kill -9 loses and repeats nothing', async () => {
  let expected = lines(0, 100);
  const first = follow();
  await written(expected);
  await saved();
  first.child.kill('SIGKILL');
  await first.ended;
  const rounds = inLongForm(6, 2);
  for (let round = 1; round <= rounds; round++) {
    const run = follow();
    append('app.log', lines(round * 100, round * 100 + 50));
    // Every other round is killed while it starts, the others later.
    if (round % 2 === 0) await sleep(1000);
    if (round === 3) rotations['renaming and a new file']?.();
    append('app.log', lines(round * 100 + 50, round * 100 + 100));
    if (round % 2 === 0) await sleep(100);
    run.child.kill('SIGKILL');
    await run.ended;
    expected += lines(round * 100, round * 100 + 100);
  }
  const run = follow();
  // A new line shows that the last run has started; before that, a signal ends it without a message.
  const last = lines((rounds + 1) * 100, (rounds + 1) * 100 + 1);
  append('app.log', last);
  await written(expected + last);
  await stop(run);
});

test('a later run without --follow finishes what is left', async () => {
  const run = follow();
  await written(lines(0, 100));
  await stop(run);
  append('app.log', lines(100, 120));
  const { code, stderr } = await runCommand(['app.log', ...flags], { cwd });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(read('out')).toBe(lines(0, 120));
});

test('files before the last one are read to their ends, and the header is written once', async () => {
  writeFileSync(at('old.csv'), 'id\n1\n2');
  writeFileSync(at('new.csv'), 'id\n2\n');
  const args = ['old.csv', 'new.csv', '--follow', '-k', 'id', '--partial', 'record', ...flags];
  const child = startFirstseen(args, { cwd });
  const ended = finished(child);
  await written('id\n1\n2');
  append('new.csv', '3\n');
  await written('id\n1\n2\n3\n');
  child.kill('SIGINT');
  expect((await ended).code).toBe(130);
});

test.each<[string, () => void, RegExp]>([
  ['-', () => undefined, /--follow was given, but the last input, standard input, is not a file; .*\[E_USAGE\]/],
  ['in.gz', () => writeFileSync(at('in.gz'), gzipSync('a\n')), /the last input, in\.gz, is compressed; /],
])('%s is refused', async (input, make, message) => {
  make();
  const { code, stderr } = await runCommand([input, '--follow'], { cwd });
  expect(stderr).toMatch(message);
  expect(code).toBe(2);
});

test.each(sampleOf(['', 'se', 'sep=;', 'sep=;\n'], 2))(
  `a delimiter that is named after a run has begun with %o is used${sampleNote}`,
  async (before) => {
    const table = 'sep=;\nid;price\n1;2,50\n2;3\n';
    writeFileSync(at('app.log'), before);
    const child = startFirstseen(['app.log', '--follow', '-f', 'csv', '-k', 'id', '-o', 'out'], { cwd });
    const ended = finished(child);
    await sleep(600);
    append('app.log', `${table.slice(before.length)}1;4\n`);
    await written(table);
    child.kill('SIGTERM');
    const { stderr } = await ended;
    expect(stderr).toMatch(/the delimiter is ';' by the line sep=;/);
  },
);
