// The packed library in a bundle of Parcel with its defaults, which take the field `module` of package.json.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { libraryFolder, outputOf, pathOf } from './support/runtime.js';

/** A bundle of `create` with the planner, which is loaded later, and what Parcel adds. */
const MAX_BYTES = 100_000;

test('Parcel with its defaults bundles what a program uses, and the bundle runs', async () => {
  const parcel = pathOf('Parcel');
  writeFileSync(
    join(libraryFolder, 'parcel.mjs'),
    `import { create } from 'firstseen';
     create({ memory: '1MiB' }).then((detector) => console.log(detector.observe('a'), detector.observe('a')));`,
  );
  const made = ['--dist-dir', 'parcel', '--cache-dir', 'parcel-cache', '--no-source-maps', '--log-level', 'error'];
  await outputOf(libraryFolder, process.execPath, parcel, 'build', 'parcel.mjs', ...made);
  const folder = join(libraryFolder, 'parcel');
  expect(await outputOf(folder, process.execPath, 'parcel.js')).toBe('distinct duplicate\n');
  const files = readdirSync(folder).filter((name) => name.endsWith('.js'));
  const bytes = files.map((name) => gzipSync(readFileSync(join(folder, name))).length);
  expect(bytes.reduce((sum, one) => sum + one, 0)).toBeLessThan(MAX_BYTES);
});
