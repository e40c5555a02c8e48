import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { families } from '../../src/detectors/descriptions.js';
import { detectorFamilies, familyNamed, familyNumbered } from '../../src/detectors/registry.js';
import { twins } from '../reference/twins.js';

/** Every file of assembly/detectors/ is a family. */
const kernelFiles = readdirSync(new URL('../../assembly/detectors/', import.meta.url));
const algorithmsFile = new URL('../../../../docs/ALGORITHMS.md', import.meta.url);

describe('the registry', () => {
  test('has the families of assembly/detectors/, with distinct names, numbers and titles', () => {
    expect(families.map(({ name }) => `${name}.ts`).sort()).toEqual(kernelFiles.sort());
    for (const field of ['name', 'id', 'title'] as const) {
      expect(new Set(families.map((family) => family[field])).size).toBe(kernelFiles.length);
    }
  });

  test('has a twin for every family, and no twin without one', () => {
    expect(Object.keys(twins).sort()).toEqual(families.map(({ name }) => name).sort());
  });

  test.skipIf(!existsSync(algorithmsFile))('has a section of docs/ALGORITHMS.md for every family', () => {
    const headings = readFileSync(algorithmsFile, 'utf8')
      .split('\n')
      .filter((line) => /^#+ /.test(line))
      .join('\n');
    for (const { name } of families) expect(headings).toMatch(new RegExp(`\\b${name}\\b`));
  });

  test.each(detectorFamilies)('finds $name by name and by number', (family) => {
    expect(familyNamed(family.name)).toBe(family);
    expect(familyNumbered(family.id)).toBe(family);
  });

  test('finds no family for any other number', () => {
    expect(familyNumbered(0)).toBeUndefined();
  });

  test.each(families)('describes $name completely', (family) => {
    expect(family.id).toBeGreaterThan(0);
    expect(family.id).toBeLessThan(2 ** 16);
    expect(family.layouts).toContain(family.layout);
    for (const text of [family.title, family.source, family.rule]) expect(text.length).toBeGreaterThan(10);
    const letters = family.parameters.map(({ letter }) => letter);
    expect(new Set(letters).size).toBe(letters.length);
  });
});
