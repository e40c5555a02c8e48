// The checks of a release see each disagreement.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  changelogProblems,
  documentProblems,
  goldenProblems,
  packedProblems,
  versionProblems,
} from '../release/checks.mjs';

const root = join(import.meta.dirname, '../..');
const json = (path) => JSON.parse(readFileSync(join(root, path), 'utf8'));

/** Everything that names the version, as it is in the repository. */
function current() {
  return {
    library: json('packages/firstseen/package.json'),
    laboratory: json('packages/lab/package.json'),
    jsr: json('packages/firstseen/jsr.json'),
    lock: json('package-lock.json'),
  };
}

describe('versions', () => {
  test('agree in this repository', () => {
    expect(versionProblems(current())).toEqual([]);
  });

  const changes = [
    ['packages/lab/package.json', ({ laboratory }) => ({ laboratory: { ...laboratory, version: '9.9.9' } })],
    [
      'peerDependencies',
      ({ laboratory }) => ({ laboratory: { ...laboratory, peerDependencies: { firstseen: '9.9.9' } } }),
    ],
    ['devDependencies', ({ laboratory }) => ({ laboratory: { ...laboratory, devDependencies: {} } })],
    ['jsr.json', ({ jsr }) => ({ jsr: { ...jsr, version: '9.9.9' } })],
    [
      'package-lock.json',
      ({ lock }) => ({ lock: { ...lock, packages: { ...lock.packages, 'packages/firstseen': { version: '9.9.9' } } } }),
    ],
  ];
  test.each(changes)('that differ in %s are a problem', (place, change) => {
    const found = current();
    const problems = versionProblems({ ...found, ...change(found) });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(place);
  });

  test('that differ in the library are a problem everywhere else', () => {
    const found = current();
    expect(versionProblems({ ...found, library: { ...found.library, version: '9.9.9' } })).toHaveLength(7);
  });
});

describe('the changelog', () => {
  const released =
    '# Changelog\n\n## [Unreleased]\n\n## [0.2.0] - 2026-12-01\n\n- A thing.\n\n## [0.1.0] - 2026-11-21\n\n- All.\n';

  test('with a dated section of the version is ready', () => {
    expect(changelogProblems(released, '0.2.0')).toEqual([]);
    expect(changelogProblems(released.replace('## [Unreleased]\n\n', ''), '0.2.0')).toEqual([]);
  });

  test.each([
    ['no section', released, '0.3.0', /no section "## \[0\.3\.0\]/],
    ['no date', released.replace(' - 2026-12-01', ''), '0.2.0', /no date/],
    [
      'unreleased changes',
      released.replace('[Unreleased]\n', '[Unreleased]\n\n- Another thing.\n'),
      '0.2.0',
      /"Unreleased"/,
    ],
    ['a newer version', released, '0.1.0', /0\.2\.0 above 0\.1\.0/],
  ])('with %s is not', (_what, changelog, version, problem) => {
    const problems = changelogProblems(changelog, version);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(problem);
  });
});

test('a document that installs the file of another version is a problem', () => {
  const documents = { 'README.md': readFileSync(join(root, 'README.md'), 'utf8'), 'b.md': 'npm install' };
  const { version } = json('packages/firstseen/package.json');
  expect(documentProblems(documents, version)).toEqual([]);
  expect(documentProblems(documents, '9.9.9')).toEqual([expect.stringContaining('README.md')]);
});

test('a version without frozen snapshots is not ready', () => {
  expect(goldenProblems(['0.1.0', 'passages'], '0.1.0')).toEqual([]);
  expect(goldenProblems(['0.1.0'], '0.2.0')).toEqual([expect.stringContaining('node tools/golden.mjs')]);
});

test('a packed package of another version is a problem', () => {
  const packed = [
    { name: 'firstseen', version: '0.2.0' },
    { name: 'firstseen-lab', version: '0.1.0' },
  ];
  expect(packedProblems(packed, '0.2.0')).toEqual([expect.stringContaining('firstseen-lab 0.1.0')]);
  expect(packedProblems(packed.slice(0, 1), '0.2.0')).toEqual([]);
});
