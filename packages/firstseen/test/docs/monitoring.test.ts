// The programs of docs/MONITORING.md run unchanged, with the built library and the packages that they name.

import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { blocks, promisedLines } from '../support/blocks.js';
import { requireBuilt } from '../support/built.js';
import { repositoryFolder } from '../support/folders.js';

requireBuilt('examples');
const run = promisify(execFile);
const programs = blocks('js', readFileSync(join(repositoryFolder, 'docs/MONITORING.md'), 'utf8'));

test('there is a program for each way', () => {
  const names = ['prom-client', '@opentelemetry/api', 'node:diagnostics_channel'];
  expect(programs.map((program) => names.filter((name) => program.includes(`'${name}'`)))).toEqual(
    names.map((name) => [name]),
  );
});

test.each(programs.map((program, i) => [i + 1, program] as const))(
  'program %i prints what it says',
  async (i, program) => {
    // Inside the examples, so that the program can import their packages by their names.
    const folder = join(repositoryFolder, 'examples/build/monitoring');
    mkdirSync(folder, { recursive: true });
    const file = join(folder, `program-${i}.mjs`);
    writeFileSync(file, program);
    const { stdout } = await run(process.execPath, [file]);
    expect(stdout.trimEnd().split('\n')).toEqual(promisedLines(program));
  },
);
