// Finds the addresses that were active in the past hour, over the generated packets of a working day. Users appear, send for
// about half an hour and return later. A source address passes if it has been silent for an hour.
// Run it with `node examples/past-hour.mjs`.

import { create, dedup } from 'firstseen';
import { addressOf, generator } from './lib/random.mjs';

const USERS = 4000;
const SECONDS = 8 * 3600;
const HOUR_MILLISECONDS = 3_600_000;

function* packets() {
  const random = generator(5);
  for (let second = 0; second < SECONDS; second++) {
    for (let i = 0; i < 7; i++) {
      // A thousand users are active at a time. Every two seconds the next user joins and the oldest one leaves.
      const user = (Math.floor(second / 2) + Math.floor(random() * 1000)) % USERS;
      yield { source: addressOf(user), at: Date.UTC(2025, 2, 3, 9) + 1000 * second };
    }
  }
}

// With `refresh`, each packet restarts the hour of its address. With a manual clock, the time is that of the packets.
const detector = await create({ window: '1h', clock: 'manual', refresh: true, memory: '256KiB', fpr: 0.001 });
const options = { detector, key: ({ source }) => source, time: ({ at }) => at };
let passed = 0;
for await (const _packet of dedup(packets(), options)) passed++;

// The exact answer, from a table with the last time of every address. The table grows with the number of addresses.
const lastAt = new Map();
let [sent, silent, now] = [0, 0, 0];
for (const { source, at } of packets()) {
  sent++;
  if (!(at - lastAt.get(source) < HOUR_MILLISECONDS)) silent++;
  lastAt.set(source, at);
  now = at;
}
const addresses = [...lastAt.keys()];

console.log(`packets: ${sent}`);
console.log(`addresses passed on: ${passed}`);
console.log(`addresses after an hour of silence, exactly: ${silent}`);
console.log(
  `addresses of the past hour: ${addresses.filter((source) => detector.test(source) === 'duplicate').length}`,
);
console.log(
  `addresses of the past hour, exactly: ${[...lastAt.values()].filter((at) => now - at < HOUR_MILLISECONDS).length}`,
);
console.log(`bytes of memory: ${detector.stats().memoryBytes}`);
