import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { errorCodes } from '../../src/base/errors.ts';
import { families } from '../../src/detectors/descriptions.ts';
import { requireBuilt } from '../support/built.js';
import { repositoryFolder } from '../support/folders.js';

requireBuilt('declarations');

it('the generated parts of the docs match the code', () => {
  execFileSync(process.execPath, [join(repositoryFolder, 'tools/docs.mjs'), '--check'], { stdio: 'pipe' });
});

it('every family has a section and every error code has a row', () => {
  const algorithms = readFileSync(join(repositoryFolder, 'docs/ALGORITHMS.md'), 'utf8');
  const isDescribed = ({ name, title }: (typeof families)[number]) =>
    new RegExp(`^## ${name}\\n[^]*?\\*\\*${title}\\*\\*`, 'm').test(algorithms);
  const missing = families.filter((family) => !isDescribed(family)).map(({ name }) => name);
  expect(missing, 'families without a section of docs/ALGORITHMS.md that has their title').toEqual([]);
  const errors = readFileSync(join(repositoryFolder, 'docs/ERRORS.md'), 'utf8');
  const codes = Object.keys(errorCodes).filter((code) => !errors.includes(`| \`${code}\` |`));
  expect(codes, 'error codes without a row of docs/ERRORS.md').toEqual([]);
});
