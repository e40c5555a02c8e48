// An option that is null is refused everywhere: it is neither a value nor left out.

import { expect, test } from 'vitest';
import { create, createClaims, createPool, dedup, dedupBytes, keyOf, load, save } from '../../src/index.js';
import { createMotifs } from '../../src/motifs.js';
import { createNear } from '../../src/near.js';
import { runFiles } from '../../src/node.js';
import { plan } from '../../src/plan.js';

type Options = Record<string, unknown>;

const detector = await create({ memory: '1KiB' });
const snapshot = await save(detector);

/** Each call with all the options that it takes, as far as they have a default. */
const calls: readonly [string, readonly string[], (options: Options) => unknown][] = [
  ['create', ['memory', 'seed', 'fpr', 'clock', 'now', 'keys', 'witness'], (options) => create(options)],
  ['load', ['clock', 'maxMemory', 'keys', 'onOverload', 'fpr'], (options) => load(snapshot, options)],
  ['createClaims', ['pending', 'lease', 'answers', 'now'], (options) => createClaims(detector, options)],
  [
    'createPool',
    ['onEvict', 'memory'],
    (options) => createPool({ memory: '1MiB', detector: { memory: '1KiB' }, ...options } as never),
  ],
  ['dedup', ['memory', 'key', 'deliver', 'detector'], (options) => dedup(['a'], options).next()],
  ['dedupBytes', ['format', 'keys', 'detector'], (options) => dedupBytes(options).writable.getWriter().closed],
  ['keyOf', ['missingKey', 'nullKey'], (options) => keyOf(['id'], { id: 1 }, options)],
  ['createNear', ['clock', 'memory', 'seed'], (options) => createNear(options)],
  ['createMotifs', ['threshold', 'seed'], (options) => createMotifs({ recordBytes: 8, ...options })],
  ['plan', ['fpr', 'memory'], (options) => plan({ distinctElements: 1000, ...options } as never)],
  ['runFiles', ['format', 'detector', 'signal', 'keys'], (options) => runFiles({ inputs: ['none'], ...options })],
];

test.each(calls.flatMap(([name, options, call]) => options.map((option) => [name, option, call] as const)))(
  '%s refuses null as %s',
  async (_, option, call) => {
    const refused = async () => call({ [option]: null });
    await expect(refused()).rejects.toThrow(new RegExp(`^${option} is null, but must be`));
  },
);
