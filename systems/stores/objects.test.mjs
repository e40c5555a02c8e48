// Runs over objects of stores of others do what runs over files do, also after kills and beside faults.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import {
  CreateBucketCommand,
  GetObjectCommand,
  ListMultipartUploadsCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { firstseen } from '../../tools/support/paths.mjs';
import { randomOf } from '../support/random.mjs';
import { startProxy } from './support/proxy.mjs';
import { ACCESS_KEY, BUCKET, SECRET_KEY, stores } from './support/servers.mjs';

const KILLS = process.env.STORES_QUICK ? 10 : 40;
const OBJECTS = 14;
const LINES = 20_000;
const SEED = 56;
/** Lines of an object that is uploaded in two parts. */
const LONG_LINES = 400_000;

const secrets = { AWS_ACCESS_KEY_ID: ACCESS_KEY, AWS_SECRET_ACCESS_KEY: SECRET_KEY, AWS_REGION: 'us-east-1' };

/** Lines of which about half are repeats, also of lines of other objects. */
function linesOf(random, count) {
  return Array.from({ length: count }, () => `line ${Math.floor(random() * OBJECTS * LINES)}\n`).join('');
}

/** The names and contents of inputs: every third is compressed, and one is longer than a part that is read. */
function inputsOf() {
  const random = randomOf(SEED);
  return Array.from({ length: OBJECTS }, (_, i) => {
    const text = linesOf(random, i === 5 ? 40 * LINES : LINES);
    const name = `${String(i).padStart(2, '0')}.txt`;
    return i % 3 === 2 && i !== 5 ? [`${name}.gz`, gzipSync(text)] : [name, Buffer.from(text)];
  });
}

/** Starts the command. `end` gives its exit code, and what it wrote. */
function start(args, endpoint) {
  const child = spawn(process.execPath, [firstseen, ...args], {
    env: { ...process.env, ...secrets, AWS_ENDPOINT_URL: endpoint },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let written = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (written += chunk));
  const end = new Promise((resolve) => child.on('close', (code) => resolve({ code, written })));
  return { child, end };
}

for (const [name, { missing, path, start: startStore, whyNotOpen }] of Object.entries(stores)) {
  describe(name, { skip: missing }, () => {
    const folder = mkdtempSync(join(tmpdir(), 'firstseen-stores-'));
    const inputs = inputsOf();
    let server;
    let proxy;
    let client;
    let endpoint;
    let expected;

    const inFolder = (file) => join(folder, file);
    const run = async (...args) => {
      const { code, written } = await start(args, endpoint).end;
      assert.equal(code, 0, written);
      return written;
    };
    const objectOf = async (key) => {
      const { Body } = await client.send(new GetObjectCommand({ Bucket: BUCKET, Key: key }));
      return Buffer.from(await Body.transformToByteArray());
    };
    const uploads = async () => (await client.send(new ListMultipartUploadsCommand({ Bucket: BUCKET }))).Uploads ?? [];

    before(async () => {
      server = await startStore(path);
      proxy = await startProxy(server.port);
      endpoint = `http://127.0.0.1:${proxy.port}`;
      client = new S3Client({
        endpoint: `http://127.0.0.1:${server.port}`,
        forcePathStyle: true,
        region: 'us-east-1',
        credentials: { accessKeyId: ACCESS_KEY, secretAccessKey: SECRET_KEY },
        requestChecksumCalculation: 'WHEN_REQUIRED',
      });
      await client.send(new CreateBucketCommand({ Bucket: BUCKET }));
      mkdirSync(inFolder('in'));
      for (const [key, body] of inputs) {
        writeFileSync(join(inFolder('in'), key), body);
        await client.send(new PutObjectCommand({ Bucket: BUCKET, Key: `in/${key}`, Body: body }));
      }
      const long = Array.from({ length: LONG_LINES }, (_, i) => `line ${i} of a long object, which has parts\n`).join(
        '',
      );
      await client.send(new PutObjectCommand({ Bucket: BUCKET, Key: 'long.txt', Body: Buffer.from(long) }));
      await run(inFolder('in'), '-o', inFolder('expected'));
      expected = readFileSync(inFolder('expected'));
    });

    beforeEach(() => {
      proxy.fault = () => undefined;
      proxy.requests.length = 0;
    });

    after(async () => {
      await proxy?.stop();
      await server?.stop();
      client?.destroy();
      rmSync(folder, { recursive: true, force: true });
    });

    test('gives what files give, in the same order', async () => {
      for (const given of [`s3://${BUCKET}/in/*`, `s3://${BUCKET}/in/`]) {
        await run(given, '-o', inFolder('out'));
        assert.ok(readFileSync(inFolder('out')).equals(expected), given);
      }
    });

    test('is read by addresses of the web', { skip: whyNotOpen }, async () => {
      const names = inputs.map(([key]) => `${endpoint}/${BUCKET}/in/${key}`);
      await run(...names, '-o', inFolder('out'));
      assert.ok(readFileSync(inFolder('out')).equals(expected));
    });

    test(`a run over objects that is killed ${KILLS} times writes what one run over files writes`, async (t) => {
      const random = randomOf(SEED);
      const args = [
        `s3://${BUCKET}/in/*`,
        '-o',
        inFolder('killed'),
        '--state',
        inFolder('state'),
        '--checkpoint',
        '1ms',
      ];
      let kills = 0;
      for (let ended = false; !ended; ) {
        let reads = 0;
        const isLast = kills >= KILLS;
        // Few objects for a run, so that there are enough runs to kill.
        const readsBefore = 1 + Math.floor(random() * 2);
        let kill = () => undefined;
        const isDue = new Promise((resolve) => (kill = resolve));
        proxy.fault = async ({ method, headers: { range } }) => {
          if (method !== 'GET' || range === undefined) return undefined;
          reads++;
          if (!isLast && reads === readsBefore) setTimeout(kill, random() * 60);
          if (!isLast && reads > readsBefore) await sleep(100);
          return undefined;
        };
        const { child, end } = start(args, endpoint);
        void isDue.then(() => child.kill('SIGKILL'));
        const { code, written } = await end;
        if (code === null) kills++;
        else assert.equal(code, 0, written);
        ended = code === 0;
      }
      t.diagnostic(`${kills} kills`);
      assert.equal(kills, KILLS);
      assert.ok(readFileSync(inFolder('killed')).equals(expected));
    });

    test('is asked again after cuts and refusals', async () => {
      let reads = 0;
      const faults = { 2: { status: 503 }, 3: { cutAfter: 1000 }, 7: { status: 500 }, 8: { cutAfter: 0 } };
      proxy.fault = ({ method }) => (method === 'GET' ? faults[reads++] : undefined);
      await run(`s3://${BUCKET}/in/*`, '-o', inFolder('out'));
      assert.ok(readFileSync(inFolder('out')).equals(expected));
    });

    test('an object that changes while it is read is refused', async () => {
      let reads = 0;
      proxy.fault = ({ headers: { range } }) => {
        if (range === undefined) return undefined;
        reads++;
        return reads === 1 ? { cutAfter: 100 } : { etag: '"another"' };
      };
      const { code, written } = await start([`s3://${BUCKET}/long.txt`, '-o', inFolder('changed')], endpoint).end;
      assert.equal(code, 1, written);
      assert.match(written, /long\.txt changed while it was read.*E_INPUT/);
    });

    test('an output is complete, or not there', async () => {
      const output = `s3://${BUCKET}/out/long.txt`;
      const ended = async (signal) => {
        let isSent = false;
        let stop = () => undefined;
        const sent = new Promise((resolve) => (stop = resolve));
        proxy.fault = async ({ url, headers: { range } }) => {
          if (url.includes('partNumber=1')) {
            isSent = true;
            stop();
          } else if (!isSent || range === undefined) return undefined;
          // The run does not reach its end before the signal.
          await sleep(1000);
          return undefined;
        };
        const { child, end } = start([`s3://${BUCKET}/long.txt`, `s3://${BUCKET}/in/*`, '-o', output], endpoint);
        await sent;
        child.kill(signal);
        await end;
        await assert.rejects(objectOf('out/long.txt'), { name: 'NoSuchKey' });
        return uploads();
      };
      assert.equal((await ended('SIGTERM')).length, 0);
      assert.equal((await ended('SIGKILL')).length, 1);
      proxy.fault = () => undefined;
      const told = await run(`s3://${BUCKET}/long.txt`, '-o', output);
      assert.match(told, /has 1 unfinished upload/);
      assert.ok((await objectOf('out/long.txt')).equals(await objectOf('long.txt')));
    });

    test('a compressed output is read again', async () => {
      await run(`s3://${BUCKET}/in/*`, '-o', `s3://${BUCKET}/out/all.gz`);
      await run(`s3://${BUCKET}/out/all.gz`, '-o', inFolder('out'));
      assert.ok(readFileSync(inFolder('out')).equals(expected));
    });

    test('no file of a run has a secret', () => {
      for (const file of readdirSync(folder).filter((name) => name !== 'in')) {
        const content = readFileSync(inFolder(file));
        for (const secret of [ACCESS_KEY, SECRET_KEY]) assert.ok(!content.includes(secret), file);
      }
    });
  });
}
