import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { RunSpec } from '../../../src/contract.js';
import { runKey } from '../../../src/measure/key.js';
import { measure } from '../../../src/measure/measure.js';
import { obstacleOf, type RunSettings, runsOf, scaleOf, type Trial } from '../../../src/reproduce/trial.js';
import { trial } from './support.js';

const settings: RunSettings = { scale: 1 / 32, seeds: 1, data: {} };

function ofLength(lengthElements: number, memoryBytes = trial.memoryBytes): Trial {
  return { ...trial, stream: { ...trial.stream, lengthElements }, memoryBytes };
}

describe('scaleOf', () => {
  test.each([
    ['the requested one', ofLength(1e9), 1 / 32],
    ['larger if the stream would be too short', ofLength(1e7), 1 / 8],
    ['1 for a short stream', ofLength(1e5), 1],
    ['larger if the memory would be too small', ofLength(1e9, 2048), 1 / 2],
  ])('is %s', (_what, of, scale) => {
    expect(scaleOf(of, settings.scale)).toBe(scale);
  });
});

describe('runsOf', () => {
  test('scales length, memory and fingerprints by the same factor', () => {
    const [run] = runsOf({ ...trial, parameters: { k: 4, p: 28 } }, settings);
    expect(run?.stream).toMatchObject({ kind: 'shuffled', lengthElements: 31_250_000 });
    expect(run?.detector).toMatchObject({ memoryBytes: 2 ** 21, parameters: { k: 4, p: 23 } });
  });

  test('uses different seeds for each repetition, and for streams and detectors', () => {
    const seeds = runsOf(trial, { ...settings, seeds: 3 }).map(({ stream, detector }) => [stream.seed, detector.seed]);
    expect(new Set(seeds.flat()).size).toBe(6);
  });

  test('shuffles the streams of the papers, and draws independently where that is asked', () => {
    const independent: Trial = { ...trial, stream: { ...trial.stream, kind: 'independent' } };
    expect(runsOf({ ...trial, identity: 'identifier' }, settings)[0]?.stream.kind).toBe('shuffled');
    expect(runsOf(independent, settings)[0]?.stream.kind).toBe('uniform');
    expect(runsOf(independent, settings)[0]?.curvePoints).toBe(runsOf(trial, settings)[0]?.curvePoints);
  });
});

describe('a run over the file of a data set', () => {
  const stream: Trial['stream'] = { kind: 'clickstream', lengthElements: 358_278, dataSet: 'R2' };
  /** The run over a copy, which has a few elements here, in a folder of its own. */
  function runOver(name: string): RunSpec {
    const folder = mkdtempSync(join(tmpdir(), 'firstseen-data-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    writeFileSync(join(folder, name), '1\n2\n1\n');
    const of: Trial = { ...trial, stream, algorithm: 'sbf', memoryBytes: 65_536 };
    const parameters = { Max: 1, K: 2, P: 4, victims: 'adjacent' };
    return runsOf({ ...of, parameters }, { ...settings, data: { R2: join(folder, name) } })[0] as RunSpec;
  }

  test('has the stored key of the file name, whatever its folder', () => {
    expect(runKey(runOver('bms-webview-2.txt.gz'))).toBe('86a6038b40a41088aad72ca8f0a3678e');
    expect(runKey(runOver('other.txt'))).not.toBe('86a6038b40a41088aad72ca8f0a3678e');
  });

  test('reads the file, and is recorded without the folder', async () => {
    const [measurement] = await measure([runOver('clicks.txt')]);
    expect(measurement).toMatchObject({
      elements: 3,
      distinct: 2,
      spec: { stream: { settings: { path: 'clicks.txt' } } },
    });
    expect(JSON.stringify(measurement)).not.toContain('firstseen-data-');
  });
});

describe('obstacleOf', () => {
  const clicks: Trial = { ...trial, stream: { kind: 'clickstream', lengthElements: 3e6, dataSet: 'R1' } };

  test('names a data set that is missing, but not one that is given', () => {
    expect(obstacleOf(clicks, settings)).toContain('--data R1=PATH');
    expect(obstacleOf(clicks, { ...settings, data: { R1: 'clicks.txt' } })).toBeUndefined();
  });

  test('names a memory size that no detector can have', () => {
    expect(obstacleOf({ ...trial, memoryBytes: 64 }, settings)).toContain('at least 1024 bytes');
  });

  test('does not ask for a data set if the row cannot be run anyway', () => {
    expect(obstacleOf({ ...clicks, memoryBytes: 64 }, settings)).not.toContain('--data');
  });
});
