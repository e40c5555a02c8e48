// The library in programs that freeze the objects of the language against changes by their dependencies.

import { execFileSync, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { mainPath } from '../cli/support/command.js';

/** The module of an entry, as code. */
function entry(name: string): string {
  return JSON.stringify(new URL(`../../dist/${name}.js`, import.meta.url).href);
}
const freezer = fileURLToPath(new URL('../support/frozenintrinsics.mjs', import.meta.url));

const program = `
import {
  create, createClaims, createPool, dedup, dedupBytes, dedupStream, FirstseenError, load, save, snapshotChunks,
} from ${entry('index')};
import { createMotifs } from ${entry('motifs')};
import { createNear, loadNear } from ${entry('near')};
import { merge, split } from ${entry('partitions')};
import { plan } from ${entry('plan')};

const options = { algorithm: 'exact', memory: '64KiB' };
const found = {};

async function all(items) {
  const passed = [];
  for await (const item of items) passed.push(item);
  return passed;
}

found.dedup = await all(dedup(['a', 'b', 'a'], options));
found.delivered = await all(dedup(['a', 'b', 'a'], { ...options, deliver: async () => undefined }));
found.stream = await all(ReadableStream.from(['a', 'b', 'a']).pipeThrough(dedupStream(options)));
for await (const item of dedup(['a', 'b', 'c'], options)) {
  found.first = item;
  break;
}
const items = dedup(['a', 'b'], options);
await items.next();
found.returned = await items.return('end');
found.thrown = await dedup(['a'], options).throw(new Error('stop')).catch(({ message }) => message);
const detector = await create(options);
found.claim = createClaims(detector).claim('a').verdict;
detector.observe('b');
found.loaded = (await load(await save(detector))).test('b');
found.pool = (await createPool({ memory: '1MiB', detector: options })).get('x').observe('a');
const records = new Blob(['{"a":1}\\n{"a":1}\\n']).stream();
const byField = { ...options, format: 'ndjson', keys: ['a'], isStrict: true };
found.bytes = await new Response(records.pipeThrough(dedupBytes(byField))).text();
found.chunks = (await load(snapshotChunks(detector))).test('b');
const parts = await all(split(await create({ algorithm: 'qht', memory: '64KiB', partitions: 2 }), 2));
found.merged = (await merge(parts)).observe('a');
const near = await createNear({ memory: '1MiB' });
near.observe('one two three four five six');
found.near = (await loadNear(await save(near))).test('one two three four five six').verdict;
found.motifs = (await createMotifs({ recordBytes: 8 })).settings.recordBytes;
found.plan = (await plan({ memory: '64KiB', layout: 'classic', distinctElements: 1000 })) !== undefined;
try {
  await create({ memory: 1 });
} catch (error) {
  found.error = [error instanceof FirstseenError, error.name, error.code, String(error).slice(0, 28)];
}
process.stdout.write(JSON.stringify(found));
`;

test.each([
  ['by hand', ['--import', freezer]],
  ['by Node', ['--frozen-intrinsics']],
])('everything works with the intrinsics frozen %s', (_, flags) => {
  const args = ['--no-warnings', ...flags, '--input-type=module', '--eval', program];
  expect(JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }))).toEqual({
    dedup: ['a', 'b'],
    delivered: ['a', 'b'],
    stream: ['a', 'b'],
    first: 'a',
    returned: { value: 'end', done: true },
    thrown: 'stop',
    claim: 'distinct',
    loaded: 'duplicate',
    pool: 'distinct',
    bytes: '{"a":1}\n',
    chunks: 'duplicate',
    merged: 'distinct',
    near: 'duplicate',
    motifs: 8,
    plan: true,
    error: [true, 'FirstseenError', 'E_MEMORY', 'FirstseenError: memory is 1,'],
  });
});

test('the command ends without a message when its output is closed, with the intrinsics frozen by hand', () => {
  const command = `seq 300000 | '${process.execPath}' --no-warnings --import '${freezer}' '${mainPath}' -a exact | head -n 1`;
  const { stdout, stderr } = spawnSync('bash', ['-c', command], { encoding: 'utf8' });
  expect({ stdout, stderr }).toEqual({ stdout: '1\n', stderr: '' });
});
