// Counts clicks on advertisements over a generated day. One publisher runs a script that clicks repeatedly. The first click of
// a user and address on an advertisement is paid; repeats are counted by publisher.
// Run it with `node examples/ad-clicks.mjs`.

import { create, dedup } from 'firstseen';
import { addressOf, generator } from './lib/random.mjs';

const CLICKS = 100_000;
const PUBLISHERS = ['news', 'weather', 'games', 'recipes'];
const CHEAT = 'games';

function* clicks() {
  const random = generator(11);
  const below = (limit) => Math.floor(random() * limit);
  for (let i = 0; i < CLICKS; i++) {
    const publisher = PUBLISHERS[below(PUBLISHERS.length)];
    // The script clicks as one of 300 users; the real users are far more numerous.
    const isScript = publisher === CHEAT && random() < 0.6;
    const user = isScript ? below(300) : 1000 + below(1_000_000);
    yield { publisher, ad: below(20), user: `user-${user}`, address: addressOf(user) };
  }
}

const detector = await create({ memory: '1MiB' });
const key = ({ ad, user, address }) => JSON.stringify([ad, user, address]);
const repeats = Object.fromEntries(PUBLISHERS.map((publisher) => [publisher, 0]));

let paid = 0;
const onDuplicate = ({ publisher }) => repeats[publisher]++;
for await (const _click of dedup(clicks(), { detector, key, onDuplicate })) paid++;

console.log(`clicks: ${CLICKS}`);
console.log(`clicks paid: ${paid}`);
console.log(`clicks that an exact count pays: ${new Set(Array.from(clicks(), key)).size}`);
for (const [publisher, count] of Object.entries(repeats)) console.log(`repeats of ${publisher}: ${count}`);
console.log(`bytes of memory: ${detector.stats().memoryBytes}`);
