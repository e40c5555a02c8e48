import { describe, expect, test } from 'vitest';
import { obstacleOf, type RunSettings, runsOf, scaleOf, type Trial } from '../../../src/reproduce/trial.js';
import { trial } from './support.js';

const settings: RunSettings = { scale: 1 / 32, seeds: 1, data: {} };

function ofLength(lengthElements: number, memoryBytes = trial.memoryBytes): Trial {
  return { ...trial, stream: { ...trial.stream, lengthElements }, memoryBytes };
}

describe('scaleOf', () => {
  test.each([
    ['that asked for', ofLength(1e9), 1 / 32],
    ['larger for a stream that would be short', ofLength(1e7), 1 / 8],
    ['whole for a short stream', ofLength(1e5), 1],
    ['larger for a memory that would be small', ofLength(1e9, 2048), 1 / 2],
  ])('is %s', (_what, of, scale) => {
    expect(scaleOf(of, settings.scale)).toBe(scale);
  });
});

describe('runsOf', () => {
  test('shrinks length, memory and fingerprints alike', () => {
    const [run] = runsOf({ ...trial, parameters: { k: 4, p: 28 } }, settings);
    expect(run?.stream).toMatchObject({ kind: 'uniform', lengthElements: 31_250_000 });
    expect(run?.detector).toMatchObject({ memoryBytes: 2 ** 21, parameters: { k: 4, p: 23 } });
  });

  test('draws again for each seed, and detectors from other numbers than streams', () => {
    const seeds = runsOf(trial, { ...settings, seeds: 3 }).map(({ stream, detector }) => [stream.seed, detector.seed]);
    expect(new Set(seeds.flat()).size).toBe(6);
  });

  test('numbers identifiers as they first occur', () => {
    expect(runsOf({ ...trial, identity: 'identifier' }, settings)[0]?.stream.kind).toBe('numbered');
  });
});

describe('obstacleOf', () => {
  const clicks: Trial = { ...trial, stream: { kind: 'clickstream', lengthElements: 3e6, dataSet: 'R1' } };

  test('names the data set that is missing, and none that is given', () => {
    expect(obstacleOf(clicks, settings)).toContain('--data R1=PATH');
    expect(obstacleOf(clicks, { ...settings, data: { R1: 'clicks.txt' } })).toBeUndefined();
  });

  test('names a memory that no detector has', () => {
    expect(obstacleOf({ ...trial, memoryBytes: 64 }, settings)).toContain('at least 1024 bytes');
  });

  test('asks for no data set that would not help', () => {
    expect(obstacleOf({ ...clicks, memoryBytes: 64 }, settings)).not.toContain('--data');
  });
});
