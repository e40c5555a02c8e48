// The README begins with what a newcomer needs, and its console sessions run unchanged in an empty folder, as do those of docs/command,
// docs/NEAR.md, docs/PASSAGES.md and docs/CORPORA.md.

import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blocks, promisedLines, stepsOf } from '../support/blocks.js';
import { copyExamples } from '../support/examples.js';
import { packageFolder, repositoryFolder } from '../support/folders.js';
import { sampleNote, sampleOf } from '../support/form.js';
import { commandPages } from '../support/pages.js';
import { requiresPosix } from '../support/platform.js';

const readme = readFileSync(join(repositoryFolder, 'README.md'), 'utf8');
const libraryDocuments = ['docs/LIBRARY.md', 'docs/CLAIMS.md', 'docs/RUN-FILES.md'].map((path) =>
  readFileSync(join(repositoryFolder, path), 'utf8'),
);
const nearDocument = readFileSync(join(repositoryFolder, 'docs/NEAR.md'), 'utf8');
const passagesDocument = readFileSync(join(repositoryFolder, 'docs/PASSAGES.md'), 'utf8');
const corporaDocument = readFileSync(join(repositoryFolder, 'docs/CORPORA.md'), 'utf8');

const packageReadme = readFileSync(join(packageFolder, 'README.md'), 'utf8');
describe.each([
  ['README.md', readme],
  ['packages/firstseen/README.md', packageReadme],
])('%s', (_path, text) => {
  it('begins with a clone and has a program of at most ten lines', () => {
    expect(/^```sh\n(.*)$/m.exec(text)?.[1]).toBe('npm ci');
    const [program] = blocks('js', text);
    expect(program?.trimEnd().split('\n').length).toBeLessThanOrEqual(10);
    expect(promisedLines(program ?? '')).not.toEqual([]);
  });

  it('links the reference and the page on choosing', () => {
    expect(text).toContain('docs/reference/firstseen.md)');
    expect(text).toContain('docs/CHOOSING.md)');
  });
});

describe('the beginning', () => {
  // tools/clone.mjs runs these commands in a fresh clone.
  it('sets a clone up, runs the command, runs the tests and installs the package', () => {
    const beginning = readme.slice(0, readme.indexOf('\n## '));
    const { version } = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8'));
    const packing = ['npm pack -w firstseen', `npm install --prefix ../my-project ./firstseen-${version}.tgz`];
    expect(blocks('sh', beginning).map((block) => block.trim().split('\n'))).toEqual([
      ['npm ci', 'npx firstseen examples/access.log --stats'],
      ['npm test'],
      packing,
    ]);
    const ofPackage = blocks('sh', readFileSync(join(packageFolder, 'README.md'), 'utf8'));
    expect(ofPackage[0]?.trim().split('\n')).toEqual(['npm ci', ...packing]);
  });
});

// test/package/installed.test.ts runs them, with the packed library.
describe('programs', () => {
  const programs = [readme, ...libraryDocuments].flatMap((text) => blocks('js', text));
  it('use each part of the library', () => {
    const all = programs.join('\n');
    for (const name of [
      'create',
      'observeBatch',
      'save',
      'load',
      'dedup(',
      'dedupStream',
      'dedupTransform',
      'dedupBytes',
      'createClaims',
      'createThreaded',
      'openState',
    ]) {
      expect(all).toContain(name);
    }
  });
});

describe(`console sessions${sampleNote}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'firstseen-readme-'));
  const bin = join(folder, 'bin');
  afterAll(() => rmSync(folder, { recursive: true }));

  beforeAll(() => {
    mkdirSync(bin);
    // In a clone, `npx firstseen` runs the built command. `npm` does nothing here, because `npm ci` has run already.
    const exec = `exec "${process.execPath}" "${join(packageFolder, 'dist/cli/main.js')}" "$@"`;
    const [npx, firstseen] = [`#!/bin/sh\nshift\n${exec}\n`, `#!/bin/sh\n${exec}\n`];
    for (const [name, script] of Object.entries({ npx, firstseen, npm: '#!/bin/sh\n' })) {
      writeFileSync(join(bin, name), script);
      chmodSync(join(bin, name), 0o755);
    }
    copyExamples(folder);
  });

  // The sessions of a document need what earlier ones of it leave.
  const documents = [...commandPages, nearDocument, passagesDocument, corporaDocument];
  const others = sampleOf(
    documents.filter((document) => blocks('console', document).length > 0),
    2,
  );
  const sessions = [readme, ...others]
    .flatMap((document) => blocks('console', document))
    .map((text) => [text.split('\n')[0] as string, text] as const);
  it.each(sessions)('%s', (_first, session) => {
    requiresPosix('a POSIX shell');
    for (const { command, printed: promised } of stepsOf(session)) {
      const printed = execFileSync('/bin/sh', ['-c', command], {
        cwd: folder,
        env: { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}` },
        stdio: ['ignore', 'pipe', 'pipe'],
        encoding: 'utf8',
      });
      expect(printed).toBe(promised);
    }
  });
});
