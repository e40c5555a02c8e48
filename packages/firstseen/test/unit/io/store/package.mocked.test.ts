// Objects without the package that reads them: what the command prints, and what it does after its remedy was followed.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import { endingOf, type LogEntry, lineOf } from '../../../../src/cli/exit.js';
import type { PackageUse } from '../../../../src/io/system/optionalpackages.js';
import { runFiles } from '../../../../src/jobs/exact/run.js';
import { temporaryFolder } from '../../../cli/support/command.js';
import { openForTest } from '../../../support/objectstore.js';

type Load = () => Promise<unknown>;

/** The optional packages that are installed. */
const installed = new Set<string>();

vi.mock('../../../../src/io/system/optionalpackages.js', async (original) => {
  const { loadedPackages } = await original<{ loadedPackages(use: PackageUse, load: Load): Promise<unknown> }>();
  const missing = () => Promise.reject(Object.assign(new Error('missing'), { code: 'ERR_MODULE_NOT_FOUND' }));
  return {
    loadedPackages: (use: PackageUse, load: Load) =>
      loadedPackages(use, use.packages.every((name) => installed.has(name)) ? load : missing),
  };
});

beforeEach(() => installed.clear());

test.each([
  ['an input', 's3://bucket/in', 'out'],
  ['an output', 'in', 's3://bucket/out'],
])('%s is refused before anything is written, with what installs it', async (_, input, output) => {
  const store = await openForTest();
  store.put('bucket/in', 'one\ntwo\none\n');
  const folder = temporaryFolder();
  const path = (name: string) => (name.includes('://') ? name : join(folder, name));
  writeFileSync(join(folder, 'in'), 'one\ntwo\none\n');
  const detector = { algorithm: 'exact', memory: '1MiB' } as const;
  const run = () => runFiles({ inputs: [path(input)], output: path(output), detector });

  const error = await run().catch((cause) => cause);
  const line = lineOf(endingOf(error).entry as LogEntry);
  expect(line).toBe(
    'firstseen: An object of a store needs the package @aws-sdk/client-s3, which is not installed; run npm install @aws-sdk/client-s3, with -g if firstseen was installed with -g, or name a file, and copy it from or to the store [E_PACKAGE]',
  );
  expect([readdirSync(folder), store.requests]).toEqual([['in'], []]);

  const [, name = ''] = /npm install (\S+),/.exec(line) ?? [];
  expect(await import(name)).toHaveProperty('S3Client');
  installed.add(name);
  await run();
  const written = output === 'out' ? readFileSync(path(output), 'utf8') : store.textOf('bucket/out');
  expect(written).toBe('one\ntwo\n');
});
