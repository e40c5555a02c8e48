// redlock, in two versions, and the mutex of redis-semaphore: arguments are the folder of packages and the port.

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';

const [folder, port] = process.argv.slice(2);
const require = createRequire(`${folder}/`);
const { Redis } = require('ioredis');
const { Mutex } = require('redis-semaphore');
const client = new Redis(Number(port));
const MINUTE = 60_000;

/** Holds two keys, extends and releases the lock, while another one gets none of them. */
async function lockWith(redlock, name, { acquire, release }) {
  const keys = [`idem:${name}:a`, `idem:${name}:b`];
  const lock = await redlock[acquire](keys, MINUTE);
  assert.equal(await client.get(keys[0]), lock.value);
  await assert.rejects(redlock[acquire]([keys[1]], MINUTE));
  const extended = await lock.extend(MINUTE + 1);
  assert.ok((await client.pttl(keys[1])) > MINUTE - 1000);
  await extended[release]();
  assert.equal(await client.exists(...keys), 0);
  const again = await redlock[acquire]([keys[1]], MINUTE);
  await again[release]();
}

const { default: Redlock5 } = require('redlock5');
await lockWith(new (require('redlock'))([client], { retryCount: 0 }), 'redlock4', {
  acquire: 'lock',
  release: 'unlock',
});
await lockWith(new Redlock5([client], { retryCount: 0 }), 'redlock5', { acquire: 'acquire', release: 'release' });

const options = { lockTimeout: MINUTE, acquireAttemptsLimit: 1, refreshInterval: 0 };
const [mutex, other] = [new Mutex(client, 'm', options), new Mutex(client, 'm', options)];
await mutex.acquire();
assert.equal(await other.tryAcquire(), false);
assert.equal(await client.get('mutex:m'), mutex.identifier);
// The work of its timer.
assert.equal(await mutex._refresh(), true);
assert.equal(await other._refresh(), false);
await mutex.release();
assert.equal(await other.tryAcquire(), true);
await other.release();
assert.equal(await client.exists('mutex:m'), 0);
await client.quit();
