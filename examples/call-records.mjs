// Archives one record for each telephone call, through a Node stream. The records are generated. An exchange that gets no
// acknowledgement sends its last records again, so some arrive twice. Run it with `node examples/call-records.mjs`.

import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { create } from 'firstseen';
import { dedupTransform } from 'firstseen/node';
import { generator } from './lib/random.mjs';

const CALLS = 50_000;

function* records() {
  const random = generator(3);
  const number = () => `+1555${String(Math.floor(random() * 1e7)).padStart(7, '0')}`;
  let unanswered = [];
  for (let call = 0; call < CALLS; call++) {
    const record = {
      caller: number(),
      callee: number(),
      begunAt: 1_700_000_000 + call,
      seconds: Math.ceil(random() * 600),
    };
    unanswered.push(record);
    yield record;
    if (unanswered.length < 100) continue;
    if (random() < 0.2) yield* unanswered;
    unanswered = [];
  }
}

const detector = await create({ memory: '1MiB' });
let arrived = 0;
const archive = [];

await pipeline(
  Readable.from(records()).on('data', () => arrived++),
  // A call has no identifier, so the key is the caller, the callee and the start time.
  dedupTransform({ detector, key: ({ caller, callee, begunAt }) => `${caller} ${callee} ${begunAt}` }),
  new Writable({
    objectMode: true,
    write(record, _encoding, done) {
      archive.push(record);
      done();
    },
  }),
);

console.log(`calls: ${CALLS}`);
console.log(`records arrived: ${arrived}`);
console.log(`records archived: ${archive.length}`);
console.log(`calls archived: ${new Set(archive.map(({ begunAt }) => begunAt)).size}`);
console.log(`bytes of memory: ${detector.stats().memoryBytes}`);
