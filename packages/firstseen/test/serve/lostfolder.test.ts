// A data folder that is not the server's any more: it was removed or moved away, or another process took it while this one was stopped.

import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Journal } from '../../src/serve/log/journal.js';
import { LogProblems } from '../../src/serve/log/logproblems.js';
import { serve } from '../../src/serve/server.js';
import type { RecordedEntry } from '../../src/serve/store/changes.js';
import { Client, type Read } from './support/client.js';
import { checksum, type Data, dataIn, elementsAfterStart, newFolder } from './support/folder.js';
import { ask } from './support/http.js';
import { testServer, withServer } from './support/server.js';

const gone = /^data folder .* is gone: its volume is no longer mounted.*requireData/;

const losses: Readonly<Record<string, { lose: (folder: string) => void; message: RegExp }>> = {
  removed: { lose: (folder) => rmSync(folder, { recursive: true }), message: gone },
  'moved away': { lose: (folder) => renameSync(folder, join(newFolder(), 'moved')), message: gone },
  // The mount point is there.
  'no longer mounted': {
    lose(folder) {
      renameSync(folder, join(newFolder(), 'moved'));
      mkdirSync(folder);
    },
    message: gone,
  },
  'without its lock': {
    lose: (folder) => rmSync(join(folder, 'firstseen.json.lock'), { recursive: true }),
    message: /^lost the lock/,
  },
};

/** Runs while the clock shows a later time. */
async function later(run: () => Promise<void>, milliseconds = 5000): Promise<void> {
  const now = Date.now;
  Date.now = () => now() + milliseconds;
  try {
    await run();
  } finally {
    Date.now = now;
  }
}

for (const [what, { lose, message }] of Object.entries(losses)) {
  test.each(['always', 'interval'] satisfies Data['durability'][])(
    `a server whose folder is ${what} acknowledges nothing any more, and says so (%s)`,
    async (durability) => {
      const folder = newFolder();
      await withServer(
        async (client, { failed, port }) => {
          await client.send('FS.CREATE', 'd', 'memory', '64KiB');
          lose(folder);
          let reply: Read | undefined;
          await later(async () => {
            void client.send('FS.OBSERVE', 'd', 'a').then((answer) => {
              reply = answer;
            });
            await expect(failed).rejects.toMatchObject({
              code: 'E_STATE_FILE',
              message: expect.stringMatching(message),
            });
          });
          const other = await Client.open(port);
          const refusal = await other.send('FS.OBSERVE', 'd', 'b');
          expect(refusal).toMatch(/^-MISCONF/);
          if (message === gone) expect(refusal).toMatch(/start again, with --require-data/);
          other.close();
          // The change was not made, or the reply waits for the end of the server.
          expect(reply ?? '-MISCONF').toMatch(/^-MISCONF/);
        },
        { data: dataIn(folder, { durability }) },
      );
    },
  );
}

test("no other log begins in a folder that is not the server's", async () => {
  const folder = newFolder();
  await withServer(
    async (client) => {
      await client.send('FS.CREATE', 'd', 'memory', '64KiB');
      rmSync(join(folder, 'firstseen.json.lock'), { recursive: true });
      expect(await client.send('FS.SAVE')).toMatch(/^-ERR lost the lock/);
    },
    { data: dataIn(folder) },
  );
});

/** A log in a folder of its own, and what it says of it. */
async function openJournal(durability: 'always' | 'interval') {
  const folder = newFolder();
  const entry: RecordedEntry = {
    ...{ number: 1, name: 'd', memoryBytes: 1024, timeMilliseconds: 0 },
    request: { options: {} },
  };
  const problems: string[] = [];
  const journal = await Journal.open({
    ...{ folder, durability, checksum: await checksum, lastBlock: 0, sequence: 1, earlierBytes: 0 },
    checkLock: () => undefined,
    problems: new LogProblems(() => undefined),
    onGone: ({ message }) => void problems.push(message),
    onLoss: (error) => void problems.push(String(error)),
  });
  /** Logs a change. @returns what ends when it is safe */
  const observe = (fingerprint: bigint) => {
    expect(journal.reserve(1000)).toBe(undefined);
    journal.record('observed', entry, BigUint64Array.of(fingerprint));
    return new Promise<void>((resolve) => {
      expect(journal.whenSafe(resolve, true)).toBe(true);
    });
  };
  return { folder, journal, observe, problems };
}

test.each(['always', 'interval'] as const)(
  'no change is made once an older copy was written over the log (%s)',
  async (durability) => {
    const { folder, journal, observe, problems } = await openJournal(durability);
    const log = join(folder, FIRST_LOG);
    await observe(7n);
    const older = readFileSync(log);
    await observe(8n);
    await later(() => observe(9n));
    writeFileSync(log, older);
    await later(async () => expect(journal.reserve(1000)).toMatchObject({ code: 'E_STATE_FILE' }), 10_000);
    await expect(journal.close()).rejects.toMatchObject({ code: 'E_STATE_FILE' });
    expect(problems).toEqual([expect.stringMatching(/was removed or replaced/)]);
  },
);

test.each(['always', 'interval'] as const)(
  'changes in memory when the log is removed are answered (%s)',
  async (durability) => {
    const { folder, journal, observe, problems } = await openJournal(durability);
    const safe = observe(7n);
    rmSync(join(folder, FIRST_LOG));
    await later(async () => {
      await safe;
      expect(journal.reserve(1000)).toMatchObject({ code: 'E_STATE_FILE' });
      // Who has changed nothing does not wait.
      expect(journal.whenSafe(() => undefined, false)).toBe(false);
    });
    await expect(journal.rotate()).rejects.toMatchObject({ code: 'E_STATE_FILE' });
    await expect(journal.close()).rejects.toMatchObject({ code: 'E_STATE_FILE' });
    expect(problems).toEqual([expect.stringMatching(/was removed or replaced/)]);
  },
);

/** The log that a server writes in a new folder. */
const FIRST_LOG = 'log-000000000001';

const replacements: Readonly<Record<string, (folder: string) => void>> = {
  'whose log is removed': (folder) => rmSync(join(folder, FIRST_LOG)),
  'that a copy replaces': (folder) => {
    renameSync(folder, `${folder}.old`);
    cpSync(`${folder}.old`, folder, { recursive: true });
  },
};

/** Tells that a server writes its log no more. */
async function untilGone(httpPort: number): Promise<void> {
  while ((await ask(httpPort, 'GET', '/metrics')).text.includes('\nfirstseen_log_writable 1'));
}

const lines = 'text/plain';

describe.each(['always', 'interval'] satisfies Data['durability'][])('with the durability %s', (durability) => {
  test.each(Object.entries(replacements))(
    'a server with a folder %s makes no change, answers each, and gives what it has in memory',
    async (_what, replace) => {
      const folder = newFolder();
      const warnings: string[] = [];
      const onWarning = (message: string) => warnings.push(message);
      const server = await serve({ ...testServer, httpPort: 0, onWarning, data: dataIn(folder, { durability }) });
      const httpPort = server.httpPort as number;
      const client = await Client.open(server.port);
      await client.send('FS.CREATE', 'd', 'algorithm', 'exact', 'memory', '64KiB');
      await client.send('FS.CREATE', 'large', 'algorithm', 'bloom', 'memory', '8MiB');
      await client.send('FS.ADD', 'd', 'a');
      replace(folder);
      await later(async () => {
        const other = await Client.open(server.port);
        const inFlight = await Promise.all([
          client.send('FS.OBSERVE', 'd', 'b'),
          other.send('FS.OBSERVE', 'd', 'c'),
          ask(httpPort, 'POST', '/detectors/d/observe', { body: 'd\n', type: lines }).then(({ text }) => text),
        ]);
        await untilGone(httpPort);
        expect(await other.send('FS.ADD', 'd', 'e')).toMatch(/^-MISCONF .*log-000000000001 was removed or replaced/);
        const refused = await ask(httpPort, 'POST', '/detectors/d/observe', { body: 'e\n', type: lines });
        expect([refused.status, refused.json.code]).toEqual([507, 'E_LOG']);
        expect(await other.send('FS.SAVE')).toMatch(/was removed or replaced.*GET \/detectors\/NAME\/snapshot/);
        const acknowledged = inFlight.map((reply) => !/MISCONF|E_LOG/.test(String(reply)));
        const expected = acknowledged.map((isAcknowledged) => (isAcknowledged ? '+duplicate' : '+distinct'));
        expect(await other.send('FS.TEST', 'd', 'a', 'b', 'c', 'd', 'e')).toEqual([
          ...['+duplicate', ...expected, '+distinct'],
        ]);
        for (const name of ['d', 'large']) {
          const { status } = await ask(httpPort, 'GET', `/detectors/${name}/snapshot`);
          expect([name, status]).toEqual([name, 200]);
        }
        other.close();
      });
      expect(warnings).toEqual([expect.stringMatching(/was removed or replaced while the server ran; memory has/)]);
      client.close();
      // It is too late to download anything.
      await expect(server.close()).rejects.toMatchObject({
        code: 'E_STATE_FILE',
        message: expect.stringMatching(
          /while the server ran; the end of the log was only in memory, and is lost: start/,
        ),
      });
    },
  );
});

test('a start tells whether what it cut off was acknowledged', async () => {
  const folder = newFolder();
  await withServer((client) => client.send('FS.CREATE', 'd', 'memory', '64KiB').then(() => undefined), {
    data: dataIn(folder),
  });
  rmSync(join(folder, FIRST_LOG));
  expect(await elementsAfterStart(folder)).toBe('E_STATE_FILE');
  await withServer(async (_client, { recovered }) => expect(recovered?.cut?.kind).toBe('acknowledged'), {
    data: dataIn(folder, { onDamage: 'cut' }),
  });
  await withServer(async (_client, { recovered }) => expect(recovered?.cut?.kind).toBe(undefined), {
    data: dataIn(folder),
  });
});

test('a start tells whether it made the folder', async () => {
  const data = dataIn(newFolder());
  const idOf = async () => {
    const server = await serve({ ...testServer, data });
    await server.close();
    return server.newFolderId;
  };
  expect(await idOf()).toMatch(/^[0-9a-f-]{36}$/);
  expect(await idOf()).toBe(undefined);
});

test('a server refuses the folder of another one, with the option that names a folder', async () => {
  const folder = newFolder();
  await withServer(
    async () => {
      await expect(serve({ ...testServer, data: dataIn(folder) })).rejects.toMatchObject({
        code: 'E_STATE_FILE',
        message: `cannot use data folder ${folder}: another server of this process uses it; wait until it ends, or give another folder`,
      });
    },
    { data: dataIn(folder) },
  );
});
