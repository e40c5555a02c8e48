// The shards of a stream together are the stream.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { runFiles } from '../../../src/jobs/exact/run.js';
import type { RunOptions } from '../../../src/run/runoptions.js';
import { parseShard } from '../../../src/run/shard.js';
import type { RunStats } from '../../../src/run/stats.js';
import { temporaryFolder } from '../../cli/support/command.js';
import { referenceXxh64 } from '../../reference/xxh64.js';

const SHARDS = 3;
const SHARD_SEED = 0x243f6a8885a308d3n;

let folder = '';

beforeEach(() => {
  folder = temporaryFolder();
});

const pathOf = (name: string) => join(folder, name);

/** The slow twin of the kernel's rule. */
function shardOf(key: string): number {
  return Number(((referenceXxh64(new TextEncoder().encode(key), SHARD_SEED) >> 32n) * BigInt(SHARDS)) >> 32n);
}

function run(name: string, options: Partial<RunOptions>): Promise<RunStats> {
  const detector = { algorithm: 'exact' as const, memory: '1MiB', ...options.detector };
  return runFiles({ inputs: [pathOf('in')], output: pathOf(name), ...options, detector });
}

async function shards(options: Partial<RunOptions>): Promise<{ texts: string[]; stats: RunStats[] }> {
  const texts: string[] = [];
  const stats: RunStats[] = [];
  for (let number = 1; number <= SHARDS; number++) {
    const name = `out${number}`;
    // Neither the seed nor the secret decides the shard.
    const detector = number === 3 ? { secret: '0f'.repeat(16) } : { seed: number };
    stats.push(
      await run(name, { ...options, shard: `${number}/${SHARDS}`, detector: { ...detector, ...options.detector } }),
    );
    texts.push(readFileSync(pathOf(name), 'latin1'));
  }
  return { texts, stats };
}

const numbers = Array.from({ length: 2000 }, (_, i) => (i * 7919) % 701);

describe('the shards of a stream together', () => {
  test('have its lines, each in the shard of its hash', async () => {
    writeFileSync(pathOf('in'), numbers.map((n) => `${n}\n`).join(''));
    const { texts, stats } = await shards({});
    const linesOf = (text: string) => text.trimEnd().split('\n');
    const keys = [...new Set(numbers.map(String))];
    for (const [shard, text] of texts.entries())
      expect(linesOf(text)).toEqual(keys.filter((key) => shardOf(key) === shard));
    const sum = (count: 'records' | 'distinct' | 'duplicates') => stats.reduce((total, one) => total + one[count], 0);
    expect([sum('records'), sum('distinct'), sum('duplicates')]).toEqual([2000, keys.length, 2000 - keys.length]);
    for (const { records, skipped } of stats) expect(records + skipped).toBe(2000);
  });

  test.each<[string, Partial<RunOptions>, string]>([
    [
      'objects, of which some have no key',
      { format: 'ndjson', keys: ['id', 'b'], missingKey: 'distinct', onError: 'drop' },
      numbers.map((n) => (n % 5 === 0 ? '{"no":1}\n\nbroken\n' : `{"id":${n},"b":"${n % 3}"}\n`)).join(''),
    ],
    [
      'lines that are too long',
      { maxRecordBytes: 64, onError: 'pass' },
      numbers.map((n) => `${n === 7 ? 'x'.repeat(300) : n}\n`).join(''),
    ],
    [
      'integers with leading zeros',
      { detector: { fingerprint: 'identity', secret: undefined } as never },
      numbers.map((n, i) => `${'0'.repeat(i % 3)}${n}\n`).join(''),
    ],
  ])('have the same records: %s', async (_, options, text) => {
    writeFileSync(pathOf('in'), text);
    await run('whole', options);
    const whole = readFileSync(pathOf('whole'), 'latin1').split('\n').sort();
    const { texts } = await shards(options);
    expect(texts.every((one) => one.length > 0)).toBe(true);
    const together = texts.join('').split('\n').sort();
    expect(together.filter((line) => line !== '')).toEqual(whole.filter((line) => line !== ''));
  });

  test('have the integers of u64', async () => {
    writeFileSync(pathOf('in'), Buffer.from(BigUint64Array.from(numbers.map(BigInt)).buffer));
    const { texts } = await shards({ format: 'u64' });
    expect(texts.join('').length).toBe(8 * new Set(numbers).size);
  });
});

test('a state remembers its shard, goes on with it and refuses another', async () => {
  writeFileSync(pathOf('in'), 'a\nb\nc\n');
  const options = { state: pathOf('s') };
  await run('out', { ...options, shard: '2/3' });
  writeFileSync(pathOf('in'), 'a\nb\nc\nd\ne\nf\ng\na\n');
  expect(await run('out', { ...options, shard: '2/3' })).toMatchObject({ resumed: true });
  await run('whole', { shard: '2/3' });
  expect(readFileSync(pathOf('out'), 'utf8')).toBe(readFileSync(pathOf('whole'), 'utf8'));
  await expect(run('out', { ...options, shard: '1/3' })).rejects.toMatchObject({
    code: 'E_STATE_DIFFERS',
    message: expect.stringContaining('in shard 2/3 in the state, not lines by whole records in shard 1/3'),
  });
  await expect(run('out', options)).rejects.toMatchObject({ code: 'E_STATE_DIFFERS' });
});

test.each(['0/3', '4/3', '1', '1/', '1/0', 'a/b', '1/65537', '01/4/5'])('%s is not a shard', (text) => {
  expect(() => parseShard(text)).toThrow(expect.objectContaining({ code: 'E_USAGE', option: 'shard' }));
});
