import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { type BenchReport, benchScript, quickBench } from '../support/bench.js';

it('the benchmark measures a single section, and refuses an unknown section', () => {
  const { isQuick, machine, sections } = quickBench('--only', 'memory');
  expect(isQuick).toBe(true);
  expect(machine.node).toBe(process.versions.node);
  expect(Object.keys(sections)).toEqual(['memory']);
  const { title, text, rows } = sections.memory as BenchReport['sections'][string];
  expect(title).not.toBe('');
  expect(text).not.toBe('');
  expect(rows.length).toBeGreaterThan(0);
  for (const { name, measured } of rows) {
    expect(name).not.toBe('');
    expect(measured).toBeGreaterThan(0);
  }
  expect(() => execFileSync(process.execPath, [benchScript, '--only', 'nothing'], { stdio: 'pipe' })).toThrow(
    '--only is "nothing", but must be one of claims, detectors, full, streams, lines, keys, keyed, many, memory, motifs, near, parquet, peers, planning, pool, python, serve, spans, spill, start, threads, kafka, kafka-large, kafka-batches',
  );
});
