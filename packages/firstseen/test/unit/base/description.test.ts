// What programs see of the objects of the library when they log or print them.

import { Writable } from 'node:stream';
import { inspect } from 'node:util';
import pino from 'pino';
import { afterAll, describe, expect, test } from 'vitest';
import winston from 'winston';
import { createThreaded } from '../../../dist/node.js';
import { createClaims, createPool, type Detector } from '../../../src/index.js';
import { createMotifs } from '../../../src/motifs.js';
import { createNear } from '../../../src/near.js';
import { createDetector } from '../../support/cases.js';

const SECRET = '00112233445566778899aabbccddeeff';
const secretBytes = Uint8Array.from(SECRET.match(/../g) as string[], (digits) => Number.parseInt(digits, 16));
/** The secret in every way in which a printed value could contain it. */
const secretTexts = [
  ...[SECRET, Buffer.from(secretBytes).toString('base64'), [...secretBytes].join(','), [...secretBytes].join(', ')],
  ...[SECRET.match(/../g)?.join(' ') as string, '"0":0,"1":17,"2":34'],
];

async function keyedDetector(): Promise<Detector> {
  const detector = await createDetector({ algorithm: 'bloom', memory: '64KiB', secret: SECRET, witness: true });
  for (const key of ['a', 'b', 'a']) detector.observe(key);
  return detector;
}

const threaded = await createThreaded({ memory: '64KiB', layout: 'blocked', secret: SECRET }, { threads: 2 });
afterAll(() => threaded.close());

const described = {
  ...{ algorithm: 'bloom', layout: 'blocked', fingerprint: 'siphash', keyed: true },
  ...{ memoryBytes: 65_536, observed: 3, duplicates: 1 },
};

const shown: [string, () => Promise<object>, object][] = [
  ['Detector', keyedDetector, described],
  [
    'ThreadedDetector',
    async () => threaded,
    { ...described, algorithm: 'qht', observed: 0, duplicates: 0, threads: 2 },
  ],
  [
    'Claims',
    async () => {
      const claims = createClaims(await keyedDetector());
      claims.claim('c');
      return claims;
    },
    { pending: 1, committed: 0, aborted: 0, expired: 0, late: 0, duplicates: 0 },
  ],
  [
    'NearDetector',
    async () => {
      const near = await createNear({ memory: '64KiB', secret: SECRET });
      near.observe('the quick brown fox');
      return near;
    },
    {
      ...{ algorithm: 'minhash', hashes: 128, bands: expect.any(Number), table: expect.any(String) },
      ...{ memoryBytes: 65_536, observed: 1, duplicates: 0, sets: 0 },
    },
  ],
  [
    'RangeMotifs',
    async () => {
      const motifs = await createMotifs({ recordBytes: 4, addressBits: 8 });
      motifs.observe(Uint8Array.of(1, 2, 3, 4, 1, 2, 3, 4));
      return motifs;
    },
    { recordBytes: 4, hashes: 32, sets: 1, records: 2, leftOut: 1, repeats: 1, memoryBytes: expect.any(Number) },
  ],
  [
    'DetectorPool',
    async () => {
      const pool = await createPool({ memory: '1MiB', detector: { memory: 1024, secret: SECRET } });
      pool.get('tenant').observe('a');
      return pool;
    },
    {
      ...{ algorithm: 'qht', layout: 'blocked', detectors: 1, maxDetectors: expect.any(Number), evicted: 0 },
      ...{ detectorBytes: expect.any(Number), memoryBytes: 2 ** 20, takenBytes: expect.any(Number) },
    },
  ],
];

/** What a logger writes for a value, as the members of a JSON object. */
const loggers: [string, (value: object) => Promise<Record<string, unknown>>][] = [
  [
    'pino',
    async (value) => {
      let text = '';
      pino({}, { write: (line) => (text += line) }).info({ value }, 'created');
      return JSON.parse(text);
    },
  ],
  [
    'winston',
    async (value) => {
      let text = '';
      const stream = new Writable({
        write(chunk, _encoding, callback) {
          text += chunk;
          callback();
        },
      });
      const transports = [new winston.transports.Stream({ stream })];
      const logger = winston.createLogger({ format: winston.format.json(), transports });
      logger.info('created', { value });
      await new Promise((resolve) => logger.on('finish', resolve).end());
      return JSON.parse(text);
    },
  ],
];

function expectNoSecret(text: string): void {
  for (const secret of secretTexts) expect(text).not.toContain(secret);
}

describe.each(shown)('%s', (name, make, expected) => {
  test('is a short description in JSON', async () => {
    const value = await make();
    expect(JSON.parse(JSON.stringify({ value }))).toEqual({ value: expected });
  });

  test.each(loggers)('is a short description in the log of %s', async (_, log) => {
    expect((await log(await make())).value).toEqual(expected);
  });

  test('is a short description where it is printed', async () => {
    const value = await make();
    const text = inspect(value);
    expect(text).toMatch(new RegExp(`^${name} \\{\\s`));
    for (const member of Object.keys(expected)) expect(text).toContain(`${member}: `);
    expect(text.length).toBeLessThan(300);
    expect(inspect([[[value]]], { depth: 2 })).toContain(`[${name}]`);
  });

  test('shows no secret, and no member but the one that cannot be cloned and the clock, however it is printed', async () => {
    const value = await make();
    const everything = { showHidden: true, depth: Number.POSITIVE_INFINITY, getters: true, maxArrayLength: null };
    expectNoSecret(inspect(value, everything));
    expectNoSecret(inspect(value, { ...everything, customInspect: false }));
    expectNoSecret(JSON.stringify(value));
    expect(Reflect.ownKeys(value).filter((key) => key !== 'clock')).toEqual(['notCloneable']);
  });
});

test('the description of claims does not end leases', async () => {
  let now = 0;
  const claims = createClaims(await keyedDetector(), { lease: 10, now: () => now });
  claims.claim('c');
  now = 20;
  expect(claims.toJSON().pending).toBe(1);
  expect(claims.stats().pending).toBe(0);
});

test.each<[string, () => Promise<Disposable>]>([
  ['Detector', () => createDetector({ memory: 1024 })],
  ['NearDetector', () => createNear({ memory: '64KiB' })],
])('a %s that was closed can be logged', async (name, make) => {
  const value = await make();
  value[Symbol.dispose]();
  expect(JSON.parse(JSON.stringify({ value }))).toEqual({ value: { isClosed: true } });
  expect(inspect(value)).toBe(`${name} { isClosed: true }`);
});

test('settings can be logged, without the secret', async () => {
  const { settings } = await createDetector({ algorithm: 'bloom', memory: 1024, secret: SECRET, seed: 2n ** 63n });
  const text = JSON.stringify(settings);
  expectNoSecret(text);
  expect(JSON.parse(text)).toEqual({
    ...{ algorithm: 'bloom', layout: 'blocked', fingerprint: 'siphash', keyed: true, memoryBytes: 1024 },
    ...{ seed: '9223372036854775808', parameters: expect.objectContaining({ k: expect.any(Number) }), partitions: 1 },
    witnessBytes: 0,
  });
});
