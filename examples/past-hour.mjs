// Who is on the network within the past hour, over packets of a working day that it makes up: users come, send for half an
// hour, and come again later. A source address passes when it had been silent for an hour. Run it with
// `node examples/past-hour.mjs`.

import { create, dedup } from 'firstseen';
import { addressOf, generator } from './lib/random.mjs';

const USERS = 4000;
const SECONDS = 8 * 3600;
const HOUR_MILLISECONDS = 3_600_000;

function* packets() {
  const random = generator(5);
  for (let second = 0; second < SECONDS; second++) {
    for (let i = 0; i < 7; i++) {
      // Of all users a thousand are there at a time, and every other second the next one comes and the first one leaves.
      const user = (Math.floor(second / 2) + Math.floor(random() * 1000)) % USERS;
      yield { source: addressOf(user), at: Date.UTC(2025, 2, 3, 9) + 1000 * second };
    }
  }
}

// With `refresh` each packet begins the hour of its address anew.
const detector = await create({ window: '1h', refresh: true, memory: '256KiB', fpr: 0.001 });
const options = { detector, key: ({ source }) => source, time: ({ at }) => at };
let passed = 0;
for await (const _packet of dedup(packets(), options)) passed++;

// The same by a table of every address and its last time, which grows with the addresses.
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
