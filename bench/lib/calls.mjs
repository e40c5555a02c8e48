// Calls of a built library, in a process of their own: prints the seconds of processor time that they take.
//   node bench/lib/calls.mjs INDEX NAME COUNT
// INDEX is the file of the library, NAME the function that is called, COUNT the number of keys.

import { pathToFileURL } from 'node:url';
import { url } from './data.mjs';

const KEYS = 2 ** 16;
const BATCH = 2 ** 13;
const SPANS = 100;

const keys = JSON.parse(JSON.stringify(Array.from({ length: KEYS }, (_, number) => url(number))));

/** For each function, what makes a turn over all keys. */
const turns = {
  observe: (detector) => () => {
    for (const key of keys) detector.observe(key);
  },

  observeMany: (detector) => {
    const batches = Array.from({ length: KEYS / BATCH }, (_, i) => keys.slice(i * BATCH, (i + 1) * BATCH));
    return () => {
      for (const batch of batches) detector.observeMany(batch);
    };
  },

  observeSpans: (detector) => {
    const bytes = new TextEncoder().encode(keys.slice(0, SPANS).join(''));
    const ends = new Uint32Array(SPANS);
    let end = 0;
    for (let i = 0; i < SPANS; i++) {
      end += keys[i].length;
      ends[i] = end;
    }
    const starts = Uint32Array.from({ length: SPANS }, (_, i) => ends[i - 1] ?? 0);
    const verdicts = new Uint8Array(SPANS);
    return () => {
      for (let done = 0; done < KEYS; done += SPANS) detector.observeSpans(bytes, starts, ends, SPANS, verdicts);
    };
  },
};

const [index, name, count] = process.argv.slice(2);
const { create } = await import(pathToFileURL(index).href);
const turn = turns[name](await create({ memory: '1MiB' }));
// The functions are compiled in the first turns.
for (let i = 0; i < 4; i++) turn();
const before = process.cpuUsage();
for (let done = 0; done < Number(count); done += KEYS) turn();
const { user, system } = process.cpuUsage(before);
console.log((user + system) / 1e6);
