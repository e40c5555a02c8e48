// ioredis: arguments are the folder of packages and the port.

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';

const [folder, port] = process.argv.slice(2);
const { Redis } = createRequire(`${folder}/`)('ioredis');
const client = new Redis(Number(port), { connectionName: 'test' });
assert.equal(await client.call('BF.RESERVE', 'ioredis', '0.001', '100'), 'OK');
await assert.rejects(client.call('BF.RESERVE', 'ioredis', '0.001', '100'), /item exists/);
assert.equal(await client.call('BF.ADD', 'ioredis', 'a'), 1);
assert.deepEqual(await client.call('BF.MADD', 'ioredis', 'a', 'b'), [0, 1]);
const replies = await client.pipeline().call('BF.EXISTS', 'ioredis', 'a').call('BF.EXISTS', 'ioredis', 'c').exec();
assert.deepEqual(replies, [
  [null, 1],
  [null, 0],
]);
assert.deepEqual(await client.multi().call('BF.ADD', 'ioredis', 'a').ping().exec(), [
  [null, 0],
  [null, 'PONG'],
]);
const info = await client.call('BF.INFO', 'ioredis');
assert.deepEqual(info.slice(0, 2), ['Capacity', 100]);
assert.deepEqual(await client.call('FS.OBSERVE', 'ioredis', 'a', 'new'), ['duplicate', 'distinct']);
assert.equal(await client.exists('ioredis'), 1);
await assert.rejects(client.exists('ioredis', 'none'), /"none" has none/);
assert.equal(await client.set('dedup:ioredis', '1', 'EX', 86_400, 'NX'), 'OK');
assert.equal(await client.set('dedup:ioredis', '1', 'EX', 86_400, 'NX'), null);
assert.equal(await client.setnx('once:ioredis', '1'), 1);
await client.quit();
