import { describe, expect, test } from 'vitest';
import { NearDetector } from '../../../src/near/detector.js';
import { type NearPlanOptions, planNear } from '../../../src/near/plan.js';
import { nearPlanData, nearPlanText } from '../../../src/near/plantext.js';

describe('a plan of near-duplicates', () => {
  test.each([
    [64, 300, 1],
    [256, 300, 1],
    [512, 300, 1],
    [512, 400, 2],
    [1024, 1400, 3],
  ])(
    'has the bands and the documents of a detector with slots of %d bytes, of which one of %d shingles has %d',
    async (sketchBytes, shingles, slots) => {
      const options = { memory: '1MiB', similarity: 0.7, sketchBytes };
      const { bands, rowsPerBand, sketches } = planNear({ ...options, shingles });
      const { settings } = await NearDetector.create({ ...options, verify: true });
      expect({ bands, rowsPerBand }).toEqual({ bands: settings.bands, rowsPerBand: settings.rowsPerBand });
      expect(sketches).toHaveLength(1);
      expect(sketches[0]?.rememberedDocuments).toBe(Math.floor(Number(settings.table.parameters.values.n) / slots));
    },
  );

  test('has fewer and more exact documents with larger sketches', () => {
    const { sketches, recommended } = planNear({ shingles: 2000 });
    expect(sketches.map(({ sketchBytes }) => sketchBytes)).toEqual([64, 128, 256, 512, 1024]);
    for (const [i, sketch] of sketches.slice(1).entries()) {
      const smaller = sketches[i] as (typeof sketches)[0];
      expect(sketch.rememberedDocuments).toBeLessThan(smaller.rememberedDocuments);
      expect(sketch.standardError).toBeLessThan(smaller.standardError);
      expect(sketch.precision).toBeGreaterThan(smaller.precision);
    }
    expect(recommended).toBeUndefined();
  });

  test('recommends what remembers the documents that are expected', () => {
    const sizeFor = (distinctDocuments: number) => planNear({ distinctDocuments }).recommended?.sketchBytes;
    expect(sizeFor(1000)).toBe(1024);
    expect(sizeFor(250_000)).toBe(128);
    expect(sizeFor(1e7)).toBe(64);
    const lost = planNear({ distinctDocuments: 1e6, sketchBytes: 256 });
    expect(lost.recommended?.recall).toBeLessThan(193_956 / 1e6);
    expect(nearPlanText(lost)).toMatch(
      /to remember 1,000,000 documents with sketches of 256 bytes, the table needs a memory of 32\d/,
    );
    expect(nearPlanText(planNear({ distinctDocuments: 1000 }))).not.toContain('needs a memory');
  });

  test('tells the chance for equal documents', () => {
    const [sketch] = planNear({ at: [1], shingles: 1000, sketchBytes: 64 }).sketches;
    expect(sketch?.dropped).toEqual([{ similarity: 1, chance: 1 }]);
    expect(() => planNear({ at: [1.1] })).toThrow(/at is 1.1/);
    expect(() => planNear({ at: [0] })).toThrow(/at is 0/);
  });

  test('drops less with more confidence, and nothing far below the threshold', () => {
    const chancesOf = (confidence: number) =>
      planNear({ confidence, sketchBytes: 64, at: [0.3, 0.8] }).sketches[0]?.dropped.map(({ chance }) => chance) ?? [];
    const [some, more] = [chancesOf(0), chancesOf(2)];
    expect(some[0]).toBeLessThan(1e-12);
    expect(more[1]).toBeLessThan(0.04);
    expect(some[1]).toBeGreaterThan(0.35);
  });

  test('leaves out sketches that the memory has no room for', () => {
    expect(planNear({ memory: '1KiB' }).sketches.map(({ sketchBytes }) => sketchBytes)).toEqual([64, 128, 256]);
  });

  test('is data with names in one style', () => {
    const names = (value: unknown): string[] =>
      typeof value === 'object' && value !== null
        ? Object.entries(value).flatMap(([name, own]) => [...(Array.isArray(value) ? [] : [name]), ...names(own)])
        : [];
    for (const name of names(nearPlanData(planNear({ distinctDocuments: 10 })))) expect(name).toMatch(/^[a-z_]+$/);
  });

  test.each([
    [{ shingles: 0 }, /shingles is 0/],
    [{ distinctDocuments: Number.NaN }, /distinctDocuments is NaN/],
    [{ similarity: 1 }, /similarity is 1/],
    [{ at: [1.5] }, /at is 1.5/],
    [{ memory: 100 }, /memory is 100/],
    [{ algorithm: 'qht' }, /algorithm/],
  ] as [NearPlanOptions, RegExp][])('of %o is refused', (options, message) => {
    expect(() => planNear(options)).toThrow(message);
  });
});
