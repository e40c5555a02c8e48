// A process that measures a detector in turns: node threadedturns.mjs OPTIONS, with the options as JSON. It answers each message of
// its parent when it has done what the message says: `draw` the elements of a turn, or `observe` them.

import { create } from 'firstseen';
import { createThreaded } from 'firstseen/node';
import { generator } from '../../tools/support/random.mjs';

const SEED = 1;

const { threads, elements, batchElements, prefillElements, ...options } = JSON.parse(process.argv[2]);
const detector = threads === 1 ? await create(options) : await createThreaded(options, { threads });
const next = generator(SEED);
const fingerprints = new BigUint64Array(elements);
const words = new Uint32Array(fingerprints.buffer);
const verdicts = new Uint8Array(elements);

const tasks = {
  async draw() {
    for (let i = 0; i < words.length; i++) words[i] = next();
  },
  async observe() {
    for (let start = 0; start < elements; start += batchElements) {
      const end = start + batchElements;
      await detector.observeBatch(fingerprints.subarray(start, end), verdicts.subarray(start, end));
    }
  },
};

for (let done = 0; done < prefillElements; done += elements) {
  await tasks.draw();
  await tasks.observe();
}
process.on('message', (name) => tasks[name]().then(() => process.send(name)));
process.send('ready');
