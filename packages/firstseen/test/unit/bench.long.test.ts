import { expect, it } from 'vitest';
import { quickBench, type BenchRow as Row } from '../support/bench.js';

/** The rows that have a target, by the reference of their comparison. */
function judged(rows: readonly Row[]): Row[] {
  return rows.filter(({ target }) => target !== null);
}

/** What of the server is compared depends on whether the machine has Redis and its load generator. */
function expectServe(rows: readonly Row[]): void {
  const names = judged(rows).map(({ name }) => name);
  const compared = ['BF.ADD, pipeline 1', 'BF.ADD, pipeline 16', 'BF.ADD, pipeline 100', 'BF.MADD of 100 keys'];
  const large = compared.map((name) => `${name}, 50 times as many keys`);
  const claims = 'a claim and its commit, pipeline 16, firstseen';
  const ofLogs = 'BF.ADD, 50 clients, pipeline 16, firstseen';
  const withPeer = [
    ...[...compared, ...large].map((name) => `${name}, firstseen`),
    ...[claims, `${claims}, map`, `${ofLogs}, always`],
  ];
  const alone = [
    'RSS with 100 connections',
    `${ofLogs}, interval`,
    'BF.ADD, 64 clients, pipeline 1, firstseen, always',
    'POST of 10000 lines, firstseen',
  ];
  if (rows.length > 0) expect(names.filter((name) => !withPeer.includes(name))).toEqual(alone);
  const hasPeer = rows.some(({ name }) => name.endsWith(', Redis'));
  expect(names.filter((name) => withPeer.includes(name))).toEqual(hasPeer ? withPeer : []);
}

function expectPeers(rows: readonly Row[]): void {
  const rates = (start: string) => {
    const { beside } = rows.find(({ name }) => name.startsWith(start)) as Row;
    // More than Node itself takes, and not more than this small stream can need.
    expect(beside['peak, MiB']).toBeGreaterThan(20);
    expect(beside['peak, MiB']).toBeLessThan(200);
    return { fpr: beside['FPR, %'] as number, fnr: beside['FNR, %'] as number };
  };
  // Compared with the truth: an exact one, one that finds nothing, one that holds a few keys, and Bloom filters.
  expect(rates('Set')).toEqual({ fpr: 0, fnr: 0 });
  expect(rates('none')).toEqual({ fpr: 0, fnr: 100 });
  const cache = rates('lru-cache');
  expect(cache.fpr).toBe(0);
  expect(cache.fnr).toBeGreaterThan(50);
  expect(cache.fnr).toBeLessThan(100);
  const ours = rates('firstseen, observe(');
  for (const filter of [ours, rates('bloom-filters')]) {
    expect(filter.fnr).toBe(0);
    expect(filter.fpr).toBeLessThan(1);
  }
  // The same detector, used in different ways.
  expect(rates('firstseen, observeBatch')).toEqual(ours);
  expect(rates('firstseen, the command')).toEqual(ours);
}

it('the benchmark measures everything once and compares it with its targets', () => {
  const { machine, isQuick, sections } = quickBench();
  expect(machine.node).toBe(process.versions.node);
  expect(machine.cores).toBeGreaterThan(0);
  expect(isQuick).toBe(true);
  expect(Object.keys(sections)).toEqual([
    'claims',
    'detectors',
    'full',
    'streams',
    'lines',
    'keys',
    'keyed',
    'many',
    'memory',
    'motifs',
    'near',
    'parquet',
    'peers',
    'planning',
    'pool',
    'serve',
    'spans',
    'spill',
    'start',
    'threads',
  ]);
  for (const { rows, title, text } of Object.values(sections)) {
    expect(title).not.toBe('');
    expect(text).not.toBe('');
    expect(new Set(rows.map(({ name }) => name)).size).toBe(rows.length);
    for (const { measured, compared, target, isMet } of rows) {
      expect(measured).toBeGreaterThan(0);
      if (!target || !compared) expect(isMet).toBeNull();
      else
        expect(isMet).toBe(target.bound === 'least' ? compared.value >= target.value : compared.value <= target.value);
    }
  }
  const detectors = judged(sections.detectors?.rows ?? []);
  for (const family of ['bloom', 'sbf', 'rsbf', 'bsbf', 'bsbfsd', 'rlbsbf']) {
    for (const layout of ['classic', 'blocked']) {
      const names = detectors.map(({ name }) => name).filter((name) => name.startsWith(`${family} `));
      expect(names.filter((name) => name.includes(layout)).length).toBeGreaterThanOrEqual(2);
    }
  }
  expect(detectors.filter(({ name }) => name.startsWith('qht')).length).toBe(4);
  expect(judged(sections.full?.rows ?? []).map(({ name }) => name)).toEqual([
    'buffer, classic, full',
    'fpbuffer, classic, full',
    'dsqf, classic, full',
    'sqf, classic, nearly empty',
    'apbf, classic, nearly empty',
    'apbf, blocked, nearly empty',
  ]);
  expect(judged(sections.streams?.rows ?? []).map(({ name }) => name.split(' ')[0])).toEqual(
    expect.arrayContaining(['uniform', 'zipf', 'recency', 'drift', 'bursts', 'adversarial']),
  );
  expect(judged(sections.keys?.rows ?? []).map(({ name }) => name)).toEqual(['ndjson, key', 'csv, key']);
  expect(judged(sections.keyed?.rows ?? []).map(({ name }) => name)).toEqual(['taken by a detector, siphash']);
  const many = judged(sections.many?.rows ?? []);
  expect(many.length).toBe(sections.many?.rows.length);
  expect(many.every(({ compared }) => compared?.to === 'of observe(key)')).toBe(true);
  expect(judged(sections.claims?.rows ?? []).length).toBe(4);
  expectServe(sections.serve?.rows ?? []);
  expect(judged(sections.spans?.rows ?? []).length).toBe(2);
  expect(judged(sections.memory?.rows ?? []).every(({ isMet }) => isMet)).toBe(true);
  expect(judged(sections.motifs?.rows ?? []).map(({ name }) => name)).toEqual([
    'two threads',
    'two threads against one',
  ]);
  expect(judged(sections.near?.rows ?? []).map(({ compared }) => compared?.to)).toEqual(['documents/s', 'MiB more']);
  expectPeers(sections.peers?.rows ?? []);
  expect(judged(sections.pool?.rows ?? []).map(({ name }) => name)).toEqual([
    'resident memory, 20000 in a pool',
    'a new name in a full pool, with the snapshot of the detector that leaves',
  ]);
  expect(judged(sections.spill?.rows ?? []).map(({ name }) => name)).toEqual(['LC_ALL=C sort -u -S']);
  expect(judged(sections.threads?.rows ?? []).map(({ name }) => name)).toEqual([
    'qht, blocked, two threads',
    'bloom, blocked, two threads',
    'sbf, blocked, two threads',
    'ndjson by key, two threads',
    'ndjson by key, 512 MiB, two threads',
    'csv by column, two threads',
    'gzip, ndjson by key, two threads',
    'near, documents of text, two threads',
    'whole lines, two threads',
  ]);
});
