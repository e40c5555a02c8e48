// What errors of a data folder say to do: it works, and does not lead to an empty server.

import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { FirstseenError } from '../../src/base/errors.js';
import { systemDetails } from '../../src/io/system/systemproblem.js';
import { LogFile } from '../../src/serve/log/logfile.js';
import { errorIn } from '../../src/serve/log/marker.js';
import { serve } from '../../src/serve/server.js';
import { dataIn, newFolder } from './support/folder.js';
import { testServer, withServer } from './support/server.js';

/** The message with which a start fails. */
async function refusalOf(folder: string): Promise<string> {
  const starting = serve({ ...testServer, data: dataIn(folder) });
  return starting.then(
    () => 'it started',
    ({ message }: FirstseenError) => message,
  );
}

function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: as the system says it, write`), { code, syscall: 'write' });
}

test.each([
  ['ENOSPC', /its disk is full; free space on its disk$/],
  ['EDQUOT', /the disk quota is used up; free space, or raise the quota$/],
])('a start on a disk without space says to free some (%s)', async (code, message) => {
  const reserve = vi.spyOn(LogFile.prototype, 'reserve').mockImplementation(() => {
    throw systemError(code);
  });
  onTestFinished(() => reserve.mockRestore());
  const folder = newFolder();
  expect(await refusalOf(folder)).toMatch(message);
  // The same of a file of the folder, whose error has a remedy of its own.
  const cause = systemError(code);
  const error = new FirstseenError('E_STATE_FILE', 'cannot write state f', systemDetails(cause, 'write'));
  expect((errorIn(folder, error) as Error).message).toMatch(/^cannot write state f; free space/);
  expect((errorIn(folder, error) as Error).message).not.toMatch(/name a file/);
});

test('a directory in the place of a log is named as what it is', async () => {
  const folder = newFolder();
  await withServer(async (client) => void (await client.send('FS.CREATE', 'd', 'memory', '64KiB')), {
    data: dataIn(folder),
  });
  const log = join(folder, 'log-000000000001');
  renameSync(log, `${log}.old`);
  mkdirSync(log);
  expect(await refusalOf(folder)).toMatch(/a directory has the name of one of its files; move the directory away$/);
  rmSync(log, { recursive: true });
  renameSync(`${log}.old`, log);
  expect(await refusalOf(folder)).toBe('it started');
});

test('damaged snapshots are named, with what to do where there is no copy', async () => {
  const folder = newFolder();
  await withServer(
    async (client) => {
      await client.send('FS.CREATE', 'd', 'algorithm', 'exact', 'memory', '64KiB');
      await client.send('FS.OBSERVE', 'd', 'a');
      await client.send('FS.SAVE');
    },
    { data: dataIn(folder) },
  );
  const path = join(folder, 'snapshot-000000000002');
  const whole = readFileSync(path);
  const remedy =
    /snapshot-000000000002 is not a complete set of snapshots: .*; restore the data folder from a copy; without a copy, begin with another `?folder`?/;
  for (const damaged of [whole.subarray(0, whole.length / 2), Buffer.from(whole).fill(7, 3000, 3010)]) {
    writeFileSync(path, damaged);
    expect(await refusalOf(folder)).toMatch(remedy);
  }
});
