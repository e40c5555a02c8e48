// node-redis: arguments are the folder of packages, the port and the version of the protocol.

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';

const [folder, port, version] = process.argv.slice(2);
const { createClient } = createRequire(`${folder}/`)('redis');
const client = createClient({ socket: { port: Number(port) }, RESP: Number(version), clientInfoTag: 'test' });
await client.connect();
const name = `noderedis${version}`;
assert.equal(await client.bf.reserve(name, 0.001, 100), 'OK');
await assert.rejects(client.bf.reserve(name, 0.001, 100), /item exists/);
assert.equal(await client.bf.add(name, 'a'), true);
assert.equal(await client.bf.add(name, 'a'), false);
assert.deepEqual(await client.bf.mAdd(name, ['a', 'b']), [false, true]);
assert.deepEqual(await client.bf.mExists(name, ['b', 'c']), [true, false]);
assert.equal(await client.bf.card(name), 2);
const info = await client.bf.info(name);
assert.equal(info.Capacity ?? info.capacity, 100);
const added = await Promise.all(Array.from({ length: 50 }, (_, i) => client.bf.add(name, `key ${i}`)));
assert.ok(added.filter((one) => one === true).length >= 49);
assert.deepEqual(await client.multi().bf.add(name, 'a').bf.exists(name, 'a').exec(), [false, true]);
assert.deepEqual(await client.sendCommand(['FS.OBSERVE', name, 'a', 'new']), ['duplicate', 'distinct']);
assert.equal(await client.del(name), 1);
const day = { type: 'EX', value: 86_400 };
const [first, again] = await Promise.all(
  [1, 2].map(() => client.set(`dedup:${name}`, '1', { condition: 'NX', expiration: day })),
);
assert.deepEqual([first, again], ['OK', null]);
assert.equal(
  await client.set(`idem:${name}`, 'mine', { condition: 'NX', expiration: { type: 'PX', value: 60_000 } }),
  'OK',
);
assert.equal(await client.get(`idem:${name}`), 'mine');
assert.equal(await client.set(`idem:${name}`, 'done', { expiration: day }), 'OK');
assert.equal(await client.get(`idem:${name}`), 'processed');
await client.close();
