// firstseen serve --require-data, and --init, which makes a data folder.

import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runFirstseen, temporaryFolder } from './support/command.js';
import { runCommand } from './support/runner.js';
import { start } from './support/server.js';

async function serve(cwd: string, flags: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { code, stdout, stderr } = await runCommand(['serve', '--port', '0', '--http-port', '0', ...flags], {
    cwd,
    env,
  });
  return [code, stdout + stderr];
}

const isMissing = [
  1,
  expect.stringMatching(/data folder firstseen-data has no data of a server.*serve --init.*E_STATE_FILE/s),
];
const required = { FIRSTSEEN_REQUIRE_DATA: 'true' };

/** What a server tells of its data folder. */
async function dataOf(cwd: string): Promise<[id: string, createdSeconds: number]> {
  const { url, kill } = await start(cwd, '--require-data');
  const text = await (await fetch(`${url}metrics`)).text();
  await kill('SIGTERM');
  const [, id = ''] = /firstseen_data_info\{id="(.+)"\} 1/.exec(text) ?? [];
  const [, created] = /^firstseen_data_created_timestamp_seconds (\S+)$/m.exec(text) ?? [];
  return [id, Number(created)];
}

test('a start that requires data refuses a folder that is not there, or is empty, and makes nothing', async () => {
  const cwd = temporaryFolder();
  expect(await serve(cwd, ['--require-data'])).toEqual(isMissing);
  expect(await serve(cwd, [], required)).toEqual(isMissing);
  expect(existsSync(join(cwd, 'firstseen-data'))).toBe(false);
  expect(await serve(cwd, ['--require-data', '--data', '.'])).toEqual([1, expect.stringMatching(/E_STATE_FILE/)]);
});

test('--init makes the folder once, and later starts have it', async () => {
  const cwd = temporaryFolder();
  const begin = Math.floor(Date.now() / 1000);
  expect(await serve(cwd, ['--init'], required)).toEqual([0, expect.stringMatching(/^firstseen: made data folder/)]);
  const [id, createdSeconds] = await dataOf(cwd);
  expect(createdSeconds).toBeGreaterThanOrEqual(begin);
  expect(await serve(cwd, ['--init'])).toEqual([
    0,
    `firstseen: data folder exists already: firstseen-data, id ${id}\n`,
  ]);
  expect(await dataOf(cwd)).toEqual([id, createdSeconds]);
  // Its volume is not mounted.
  renameSync(join(cwd, 'firstseen-data'), join(cwd, 'elsewhere'));
  expect(await serve(cwd, ['--require-data'])).toEqual(isMissing);
});

test('a server in memory requires no data', async () => {
  const cwd = temporaryFolder();
  const { kill } = await start({ cwd, env: required }, '--in-memory');
  expect((await kill('SIGTERM')).code).toBe(0);
  expect(await serve(cwd, ['--in-memory', '--require-data'])).toEqual([2, expect.stringMatching(/has no effect/)]);
  expect(await serve(cwd, ['--in-memory', '--init'])).toEqual([
    2,
    expect.stringMatching(/--init has no effect with --in-memory/),
  ]);
  expect(await serve(cwd, ['--check', '--init'])).toEqual([2, expect.stringMatching(/--init.*--check/)]);
});

test('several that make the folder at once agree on its id', async () => {
  const cwd = temporaryFolder();
  const ends = await Promise.all(Array.from({ length: 4 }, () => runFirstseen(['serve', '--init'], { cwd })));
  expect(ends.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
  const ids = ends.map(({ stderr }) => /id (\S+)/.exec(stderr)?.[1]);
  expect(new Set(ids)).toEqual(
    new Set([JSON.parse(readFileSync(join(cwd, 'firstseen-data/firstseen.json'), 'utf8')).id]),
  );
  expect(ends.filter(({ stderr }) => stderr.includes('made data folder'))).toHaveLength(1);
});

test('a file of the folder that is damaged is named', async () => {
  const cwd = temporaryFolder();
  await serve(cwd, ['--init']);
  truncateSync(join(cwd, 'firstseen-data/firstseen.json'), 20);
  expect(await serve(cwd, [])).toEqual([
    1,
    expect.stringMatching(/firstseen\.json is damaged.*restore it from a copy.*E_STATE_FILE/),
  ]);
});

test('a folder that has data, but not the file that says what it is, is not called empty', async () => {
  const cwd = temporaryFolder();
  const { kill } = await start(cwd);
  await kill('SIGTERM');
  rmSync(join(cwd, 'firstseen-data/firstseen.json'));
  expect(await serve(cwd, ['--require-data'])).toEqual([
    1,
    expect.stringMatching(
      /has data of a server, but no firstseen\.json; restore firstseen\.json.*without --require-data/,
    ),
  ]);
  await (await start(cwd)).kill('SIGTERM');
  await (await start(cwd, '--require-data')).kill('SIGTERM');
});

test('--init tells the files of a folder that is of something else', async () => {
  const cwd = temporaryFolder();
  mkdirSync(join(cwd, 'lost+found'));
  expect(await serve(cwd, ['--init', '--data', '.'])).toEqual([0, expect.stringMatching(/^firstseen: made .*\n$/)]);
  mkdirSync(join(cwd, 'other'));
  writeFileSync(join(cwd, 'other/notes.txt'), '');
  const [code, text] = await serve(cwd, ['--init', '--data', 'other']);
  expect([code, text]).toEqual([
    0,
    expect.stringMatching(/other also has files that do not belong to a server, such as notes\.txt/),
  ]);
});

test('a file in place of a folder has one message', async () => {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'firstseen-data'), '');
  const isFile = [1, expect.stringMatching(/firstseen-data is not a folder; name a folder \[E_STATE_FILE/)];
  for (const flags of [[], ['--require-data'], ['--init']]) expect(await serve(cwd, flags)).toEqual(isFile);
});
