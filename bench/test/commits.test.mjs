// The comparison of two commits: what ratios say, which rows are chosen, and what is refused.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { chosenRows, compareCommits, driftOf } from '../commits.mjs';
import { commitOf, isChanged } from '../lib/checkouts.mjs';
import { changeOf, intervalOf } from '../lib/interval.mjs';

const root = join(import.meta.dirname, '../..');

describe('ratios', () => {
  const twelve = [0.9, 1.01, 1.02, 1.03, 1.04, 1.05, 1.07, 1.08, 1.09, 1.1, 1.11, 3];

  test('their interval leaves out one outlier on either side of twelve rounds', () => {
    expect(intervalOf(twelve)).toEqual({ ratio: 1.06, low: 1.01, high: 1.11 });
    expect(intervalOf(twelve.toReversed())).toEqual({ ratio: 1.06, low: 1.01, high: 1.11 });
  });

  test('their interval has all of eight rounds, and there is none with fewer', () => {
    expect(intervalOf(twelve.slice(0, 8))).toEqual({ ratio: expect.closeTo(1.035), low: 0.9, high: 1.08 });
    expect(intervalOf([1.1, 1.2, 1.3])).toEqual({ ratio: 1.2, low: 0, high: Number.POSITIVE_INFINITY });
  });

  test.each([
    [{ ratio: 1.06, low: 1.01, high: 1.11 }, 'more'],
    [{ ratio: 0.9, low: 0.85, high: 0.99 }, 'less'],
    [{ ratio: 1.06, low: 0.99, high: 1.11 }, ''],
    [{ ratio: 0.94, low: 0.9, high: 1.01 }, ''],
    [{ ratio: 1.015, low: 1.01, high: 1.02 }, ''],
    [{ ratio: 0.985, low: 0.98, high: 0.99 }, ''],
    [{ ratio: 1.5, low: 0, high: Number.POSITIVE_INFINITY }, ''],
  ])('%o is a change: "%s"', (interval, change) => {
    expect(changeOf(interval)).toBe(change);
  });
});

describe('rows', () => {
  const rows = { lines: {}, 'rare lines': { isRare: true }, 'not here': { isPossible: false } };

  test('that take longer are measured if all are', () => {
    expect(chosenRows(rows, { isAll: false })).toEqual(['lines']);
    expect(chosenRows(rows, { isAll: true })).toEqual(['lines', 'rare lines']);
  });

  test('are chosen by a text, which one of them has', () => {
    expect(chosenRows(rows, { isAll: false, text: 'rare' })).toEqual(['rare lines']);
    expect(() => chosenRows(rows, { isAll: false, text: 'here' })).toThrow(
      '--rows is "here", but no row has it in its name; the rows are: lines; rare lines',
    );
  });

  test('drift by the product of what each release was measured with', () => {
    const releases = [{ ratios: {} }, { ratios: { lines: 1.5 } }, { ratios: { lines: 1.1, start: 0.5 } }];
    expect(driftOf('lines', releases)).toBeCloseTo(1.65);
    expect(driftOf('start', releases)).toBe(0.5);
  });
});

describe('commits', () => {
  /** A repository with one commit. */
  function repository() {
    const folder = mkdtempSync(join(tmpdir(), 'firstseen-commits-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const git = (...args) => execFileSync('git', args, { cwd: folder, encoding: 'utf8' }).trim();
    git('init', '--quiet');
    writeFileSync(join(folder, 'file'), 'text');
    git('add', '--all');
    git('-c', 'user.name=test', '-c', 'user.email=test@localhost', 'commit', '--quiet', '--message', 'First');
    return { folder, head: git('rev-parse', 'HEAD') };
  }

  test('are named in any way that git knows, and other names are refused', () => {
    const { folder, head } = repository();
    expect(commitOf('HEAD', folder)).toBe(head);
    expect(commitOf(head.slice(0, 8), folder)).toBe(head);
    expect(() => commitOf('--all', folder)).toThrow('"--all" is not a commit of this repository');
    expect(() => commitOf('HEAD~1', folder)).toThrow('"HEAD~1" is not a commit of this repository');
  });

  test('differ from a checkout with a file that is new or changed', () => {
    const { folder } = repository();
    expect(isChanged(folder)).toBe(false);
    writeFileSync(join(folder, 'file'), 'changed');
    expect(isChanged(folder)).toBe(true);
  });
});

test('only a release is written', async () => {
  const folder = join(tmpdir(), 'firstseen-commits-unused');
  await expect(compareCommits({ compare: 'HEAD', write: true, folder })).rejects.toThrow(
    '--write is for a release: with --compare, it needs --compare release',
  );
});

test('each release is noted with its commit and the ratios of its rows', () => {
  const releases = JSON.parse(readFileSync(join(root, 'bench/releases.json'), 'utf8'));
  for (const { version, commit, ratios } of releases) {
    expect(version).not.toBe('');
    expect(commit).toMatch(/^[0-9a-f]{40}$/);
    expect(Object.values(ratios).every((ratio) => ratio > 0)).toBe(true);
  }
});
