import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { load } from '../../src/snapshot/load.ts';
import { save } from '../../src/snapshot/snapshots.ts';
import { snapshotCases } from '../support/snapshots.ts';

const folder = import.meta.dirname;
const versions = readdirSync(folder, { withFileTypes: true }).filter(({ name }) => /^\d/.test(name));

/** The same keys as in tools/golden.mjs. */
function key(i: number): string {
  return `element ${i % 3 === 0 ? Math.floor(i / 7) : i}`;
}

it('at least one version has frozen snapshots', () => {
  expect(versions.length).toBeGreaterThan(0);
});

describe.each(versions.map(({ name }) => name))('snapshots of version %s', (version) => {
  const place = join(folder, version);
  const verdicts = JSON.parse(readFileSync(join(place, 'verdicts.json'), 'utf8')) as Record<string, string>;
  const names = Object.keys(verdicts);

  it('has a file for each recorded name, and each name is a known case', () => {
    expect(readdirSync(place).filter((file) => file.endsWith('.1st')).length).toBe(names.length);
    const known = snapshotCases.map(({ name }) => name);
    expect(known).toEqual(expect.arrayContaining(names));
  });

  it.each(names)('%s loads, saves to the same bytes and gives the recorded verdicts', async (name) => {
    const frozen = new Uint8Array(readFileSync(join(place, `${name}.1st`)));
    const detector = await load(frozen);
    expect(await save(detector)).toEqual(frozen);
    const answers = Array.from({ length: 200 }, (_, i) => (detector.observe(key(400 + i)) === 'duplicate' ? 1 : 0));
    expect(answers.join('')).toBe(verdicts[name]);
  });
});
