// Runs the programs of examples/services against real clients, kills each with SIGKILL in the middle and starts it again: nothing is
// lost, and what was answered is not done again.

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { requireBuilt } from '../support/built.js';
import { repositoryFolder } from '../support/folders.js';
import { inLongForm, isLongForm, sampleNote, sampleOf } from '../support/form.js';
import { requires, requiresPosix } from '../support/platform.js';
import { startQueue } from './support/queue.js';
import { type RedisQueue, startRedisQueue } from './support/redis.js';
import { linesOf, Service } from './support/service.js';

const programs = ['bullmq.mjs', 'express.mjs', 'fastify.mjs', 'ndjson.mjs', 'sqs.mjs'];
const ORDERS = inLongForm(120, 90);
const CLIENTS = 8;
/** Every third order comes twice. */
const orders = Array.from({ length: ORDERS }, (_, i) => `order-${i}`);
const withRepeats = orders.flatMap((order, i) => (i % 3 === 0 ? [order, order] : [order]));

requireBuilt('examples');

let folder: string;
let services: Service[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'firstseen-services-'));
  services = [];
  requiresPosix('signals that a process can handle');
});
afterEach(async () => {
  await Promise.all(services.map((service) => service.kill()));
  rmSync(folder, { recursive: true });
});

function start(program: string, ...args: string[]): Service {
  const service = new Service(program, [folder, ...args]);
  services.push(service);
  return service;
}

/**
 * Puts a folder in the place of the next state of a service that holds its lock, which makes every save fail.
 * @returns what removes the folder
 */
async function blockState(service: Service): Promise<() => void> {
  // Until it has its name, the entry of a service is not one yet.
  const partIn = (lock: string) =>
    readdirSync(join(folder, lock))
      .filter((token) => !token.endsWith('.new'))
      .map((token) => join(folder, lock, token, 'state.part'));
  const parts = () =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.state.lock'))
      .flatMap(partIn);
  await service.until(() => parts().length > 0);
  const [part = ''] = parts();
  mkdirSync(part);
  return () => rmdirSync(part);
}

/** How often each value occurs. */
function countsOf(values: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

/** Asserts that every order is among the lines, and that at most `most` of them are there again. */
function expectAll(lines: readonly string[], most: number): void {
  const counts = countsOf(lines.map((line) => Object.values(JSON.parse(line))[0] as string));
  expect([...counts.keys()].toSorted()).toEqual(orders.toSorted());
  expect(lines.length - counts.size).toBeLessThanOrEqual(most);
}

test('examples/README.md lists every program, and each has at most 50 lines', () => {
  const readme = readFileSync(join(repositoryFolder, 'examples/README.md'), 'utf8');
  const services = join(repositoryFolder, 'examples/services');
  expect(readdirSync(services).toSorted()).toEqual(programs);
  for (const program of programs) {
    expect(readme).toContain(`[services/${program}](services/${program})`);
    expect(readFileSync(join(services, program), 'utf8').split('\n').length - 1).toBeLessThanOrEqual(50);
  }
});

interface Receiver {
  program: string;
  path: string;
  header: string;
  file: string;
  /** The statuses of the answers for a key, of later ones after a restart, and of those while the first request is in progress. */
  first: number;
  again: number;
  pending: number;
}

const receivers: Receiver[] = [
  {
    program: 'express.mjs',
    path: 'payments',
    header: 'Idempotency-Key',
    file: 'payments.ndjson',
    first: 201,
    again: 200,
    pending: 409,
  },
  {
    program: 'fastify.mjs',
    path: 'webhooks',
    header: 'webhook-id',
    file: 'events.ndjson',
    first: 200,
    again: 200,
    pending: 503,
  },
];

test('express.mjs refuses a key that was used for another payment', async () => {
  const port = await start('express.mjs', '0').port();
  const post = async (amount: number) => {
    const headers = { 'content-type': 'application/json', 'Idempotency-Key': 'a' };
    const body = JSON.stringify({ amount });
    return (await fetch(`http://127.0.0.1:${port}/payments`, { method: 'POST', headers, body })).status;
  };
  expect([await post(7), await post(8), await post(7)]).toEqual([201, 422, 201]);
  expect(linesOf(join(folder, 'payments.ndjson'))).toHaveLength(1);
});

/** The programs that are killed. */
const killed = sampleOf(receivers, 1).map(({ program }) => program);

describe.each(receivers)('$program', ({ program, path, header, file, first, again, pending }) => {
  async function post(port: number, key: string | undefined): Promise<{ status: number; text: string }> {
    const response = await fetch(`http://127.0.0.1:${port}/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(key === undefined ? {} : { [header]: key }) },
      body: '{"amount":7}',
    });
    return { status: response.status, text: await response.text() };
  }

  test('does a request once, asks to come again while it is in progress, and takes one again that has failed', async () => {
    const port = await start(program, '0').port();
    const answers = [await post(port, 'a'), await post(port, 'a'), await post(port, 'b')];
    expect(answers.map(({ status }) => status)).toEqual([first, first, first]);
    expect(answers[1]?.text).toBe(answers[0]?.text);
    for (const key of [undefined, '']) expect((await post(port, key)).status).toBe(400);
    expect((await fetch(`http://127.0.0.1:${port}/unknown`, { method: 'POST' })).status).toBe(404);
    expect(linesOf(join(folder, file))).toHaveLength(2);

    rmSync(join(folder, file));
    // Writing to a pipe waits for its reader, so the first request is in progress until then.
    const pipe = join(folder, file);
    expect(spawnSync('mkfifo', [pipe]).status).toBe(0);
    const both = [post(port, 'c'), post(port, 'c')];
    expect((await Promise.race(both)).status).toBe(pending);
    const [text, ...progressed] = await Promise.all([readFile(pipe, 'utf8'), ...both]);
    expect(progressed.map(({ status }) => status).toSorted()).toEqual([first, pending]);
    expect(text.split('\n')).toHaveLength(2);

    rmSync(pipe);
    mkdirSync(join(folder, file));
    expect((await post(port, 'd')).status).toBe(500);
    rmdirSync(join(folder, file));
    expect([(await post(port, 'd')).status, (await post(port, 'd')).status]).toEqual([first, first]);
    expect(linesOf(join(folder, file))).toHaveLength(1);
  });

  if (!killed.includes(program)) return;
  test(`answers with success only when the state has the key${sampleNote}`, async () => {
    const service = start(program, '0');
    const port = await service.port();
    const unblockState = await blockState(service);
    expect([(await post(port, 'a')).status, (await post(port, 'a')).status]).toEqual([500, 500]);
    unblockState();
    expect((await post(port, 'a')).status).toBe(first);
    await service.kill();
    const restarted = await post(await start(program, '0').port(), 'a');
    expect(restarted).toMatchObject({ status: again, text: expect.stringContaining('before') });
    expect(linesOf(join(folder, file))).toHaveLength(1);
  });

  test(`loses nothing when it is killed, and does not do again what it has answered${sampleNote}`, async () => {
    const answered = new Set<string>();
    /** Sends keys as several clients do, each with one request at a time, and again until there is an answer of success. */
    const sendAll = async (port: number, keys: readonly string[], onAnswer: () => void) => {
      const waiting = [...keys];
      const client = async () => {
        for (let key = waiting.shift(); key !== undefined; key = waiting.shift()) {
          const { status } = await post(port, key);
          if (status >= 400) waiting.push(key);
          else {
            answered.add(key);
            onAnswer();
          }
        }
      };
      await Promise.allSettled(Array.from({ length: CLIENTS }, client));
    };

    const service = start(program, '0');
    let answers = 0;
    let killing: Promise<void> | undefined;
    await sendAll(await service.port(), withRepeats, () => {
      answers++;
      if (answers === ORDERS / 2) killing = service.kill();
    });
    await killing;
    const before = [...answered];
    expect(before.length).toBeGreaterThan(ORDERS / 4);
    expect(before.length).toBeLessThan(ORDERS);

    const next = start(program, '0');
    await sendAll(await next.port(), withRepeats, () => undefined);
    expect(answered.size).toBe(ORDERS);
    const lines = linesOf(join(folder, file));
    // Only requests that were in progress at the kill can be done twice.
    expectAll(lines, CLIENTS);
    const counts = countsOf(lines.map((line) => Object.values(JSON.parse(line))[0] as string));
    for (const key of before) expect(counts.get(key)).toBe(1);
  });
});

describe('ndjson.mjs', () => {
  const file = () => join(folder, 'events.ndjson');
  const line = (order: string) => JSON.stringify({ id: order, at: 1 });
  const send = async (port: number, lines: readonly string[]) => {
    const response = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: `${lines.join('\n')}\n` });
    return { status: response.status, text: await response.text() };
  };

  test('refuses a request with an invalid line or an id that is too long, takes its events later, and goes on', async () => {
    const port = await start('ndjson.mjs', '0').port();
    expect((await send(port, ['{"id":1}', 'not JSON'])).status).toBe(400);
    expect(await send(port, ['{"id":1}', '{"id":2}', '{ "id": 1 }'])).toEqual({
      status: 200,
      text: '2 of 3 events are new\n',
    });
    expect(linesOf(file())).toEqual(['{"id":1}', '{"id":2}']);
    // The quotes of an id are a part of the key.
    const withKeyOf = (bytes: number) => JSON.stringify({ id: 'x'.repeat(bytes - 2) });
    const refused = await send(port, ['{"id":3}', withKeyOf(2 ** 20 + 1)]);
    expect(refused.status).toBe(400);
    expect(refused.text).toContain('1048577 bytes');
    expect(linesOf(file())).toHaveLength(2);
    const longest = withKeyOf(2 ** 20);
    expect(await send(port, ['{"id":3}', longest])).toEqual({ status: 200, text: '2 of 2 events are new\n' });
    expect(linesOf(file()).slice(2)).toEqual(['{"id":3}', longest]);
  });

  test('writes each event once, however often it is killed and requests are repeated', async () => {
    const count = inLongForm(25, 17);
    const requests = Array.from({ length: count }, (_, i) => withRepeats.slice(5 * i, 5 * i + 40).map(line));
    let [done, kills] = [0, 0];
    while (done < requests.length) {
      const service = start('ndjson.mjs', '0');
      const port = await service.port();
      // Each process gets some requests. The last one is sent before the kill, and sent again to the next process.
      const sent = 3 + (kills % 3);
      for (const request of requests.slice(done, done + sent)) {
        expect((await send(port, request)).status).toBe(200);
        done++;
      }
      const unanswered = send(port, requests[done] ?? []).catch(() => undefined);
      const length = linesOf(file()).length;
      if (kills % 2 === 1) await Promise.race([unanswered, service.until(() => linesOf(file()).length > length)]);
      await service.kill();
      await unanswered;
      kills++;
    }
    expect(kills).toBeGreaterThan(4);
    expect(linesOf(file())).toEqual(orders.map(line));
  });
});

test('sqs.mjs leaves messages that it does not understand, and takes those again whose shipment has failed', async () => {
  const bodies = withRepeats.map((order) => JSON.stringify({ order }));
  const queue = await startQueue(['not JSON', '{"other":1}', ...bodies]);
  const file = join(folder, 'shipped.ndjson');
  try {
    mkdirSync(file);
    const service = start('sqs.mjs', queue.url);
    await service.until(() => queue.deliveries > bodies.length + 2);
    rmdirSync(file);
    await service.until(() => queue.remaining === 2);
    expectAll(linesOf(file), 0);
  } finally {
    await queue.close();
  }
});

test.runIf(isLongForm)('sqs.mjs loses nothing when it is killed, and skips what its state has', async () => {
  const queue = await startQueue(withRepeats.map((order) => JSON.stringify({ order })));
  const file = join(folder, 'shipped.ndjson');
  try {
    // The first process is killed when it deletes messages for the fifth time. Their state is saved, and they come again.
    const first = start('sqs.mjs', queue.url);
    let deletions = 0;
    let killing: Promise<void> | undefined;
    queue.onDelete = () => {
      deletions++;
      if (deletions < 5) return true;
      killing ??= first.kill();
      return false;
    };
    await first.until(() => killing !== undefined).catch(() => undefined);
    await killing;
    const shipped = linesOf(file);
    expect(shipped.length).toBeGreaterThan(30);
    expect(queue.remaining).toBeGreaterThan(withRepeats.length / 2);
    expect(new Set(shipped).size).toBe(shipped.length);

    // The second one is killed while it ships. Orders that it has shipped since its last state may be shipped again.
    queue.onDelete = () => true;
    const second = start('sqs.mjs', queue.url);
    await second.until(() => linesOf(file).length > shipped.length + 15);
    await second.kill();

    const third = start('sqs.mjs', queue.url);
    await third.until(() => queue.remaining === 0);
    const lines = linesOf(file);
    expectAll(lines, 10);
    for (const line of shipped) expect(countsOf(lines).get(line)).toBe(1);
  } finally {
    await queue.close();
  }
});

describe('bullmq.mjs', () => {
  let redis: RedisQueue;
  beforeEach(async () => {
    requires(!spawnSync('redis-server', ['--version']).error, 'redis-server is not installed');
    redis = await startRedisQueue(folder, 'orders');
    // Runs when the services are killed.
    return () => redis.close();
  });
  const file = () => join(folder, 'shipped.ndjson');

  test.runIf(isLongForm)(
    'loses nothing when shipments fail or it is killed, and skips what it has shipped',
    async () => {
      const { queue, socket } = redis;
      const opts = { attempts: 1000, backoff: 20 };
      await queue.addBulk(withRepeats.map((order) => ({ name: 'ship', data: { order }, opts })));
      // The first attempts fail.
      mkdirSync(file());
      const first = start('bullmq.mjs', socket);
      await first.until(async () => (await queue.getDelayedCount()) > ORDERS / 3);
      rmdirSync(file());
      await first.until(async () => (await queue.getCompletedCount()) > ORDERS / 3);
      await first.kill();
      const completed = await queue.getCompleted();
      const shipped = completed
        .filter(({ returnvalue }) => returnvalue === 'shipped')
        .map(({ data }) => JSON.stringify(data));
      expect(completed.length).toBeLessThan(withRepeats.length);

      const second = start('bullmq.mjs', socket);
      await second.until(async () => (await queue.getCompletedCount()) === withRepeats.length);
      const lines = linesOf(file());
      expectAll(lines, CLIENTS);
      for (const line of shipped) expect(countsOf(lines).get(line)).toBe(1);
    },
  );

  test('completes a job only when the state has its order', async () => {
    const { queue, socket } = redis;
    const first = start('bullmq.mjs', socket);
    const unblockState = await blockState(first);
    const job = await queue.add('ship', { order: 'a' }, { attempts: 3, backoff: 20 });
    await first.until(async () => (await job.isFailed()) || (await job.isCompleted()));
    expect(await job.getState()).toBe('failed');
    unblockState();
    await job.retry();
    await first.until(() => job.isCompleted());
    await first.kill();

    const second = start('bullmq.mjs', socket);
    const repeat = await queue.add('ship', { order: 'a' });
    await second.until(() => repeat.isCompleted());
    expect(linesOf(file())).toEqual(['{"order":"a"}']);
  });

  test('fails a job whose order is too long, and ships the others', async () => {
    const { queue, socket } = redis;
    const service = start('bullmq.mjs', socket);
    const refused = await queue.add('ship', { order: 'x'.repeat(2 ** 20 + 1) });
    await service.until(() => refused.isFailed());
    const job = await queue.add('ship', { order: 'a' });
    await service.until(() => job.isCompleted());
    expect(linesOf(file())).toEqual(['{"order":"a"}']);
  });
});
