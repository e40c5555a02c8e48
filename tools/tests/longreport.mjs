// The committed report of the last run of the long form, and what makes it too old to be relied on.

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './results.mjs';

const path = join(root, 'tools/tests/long-report.md');
const MAX_DAYS = 30;
/**
 * The share of the lines of code and tests that may have changed since. It is about what a month of work changes: a report that is younger
 * and of nearly the same code still says something.
 */
const MAX_CHANGED = 0.1;
const CODE = ['packages/*/src', 'packages/*/assembly', 'packages/*/test'];
/** The tree without files, by which git counts all lines. */
const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

const DAY_MILLISECONDS = 86_400_000;
const RUN_AGAIN = 'run npm run test:long -- --report';

function git(...args) {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
}

/** Lines that were added or removed, the larger of the two in each file, from what `git diff --numstat` prints. */
export function changedLines(numstat) {
  const rows = [...numstat.matchAll(/^(\d+)\t(\d+)\t/gm)];
  return rows.reduce((sum, [, added, removed]) => sum + Math.max(Number(added), Number(removed)), 0);
}

/** The share of the lines of code and tests that differ from a commit; undefined where git does not know the commit. */
export function changedShare(commit) {
  try {
    const changed = changedLines(git('diff', '--numstat', commit, '--', ...CODE));
    return changed / changedLines(git('diff', '--numstat', EMPTY_TREE, 'HEAD', '--', ...CODE));
  } catch {
    return undefined;
  }
}

/** The facts in the head of a report. */
export function readHead(text) {
  const fact = (name) => new RegExp(`^- ${name}: (.*)$`, 'm').exec(text)?.[1];
  return { date: fact('date'), commit: fact('commit'), version: fact('version') };
}

/**
 * Says why a report is too old; undefined if it is not.
 * @param current { now, version, share }, where `share` is that of the lines that have changed since
 */
export function problemOf({ date, version: reported }, { now, version, share }) {
  const days = Math.floor((now - Date.parse(date)) / DAY_MILLISECONDS);
  const minor = (text = '') => text.split('.').slice(0, 2).join('.');
  if (!(days <= MAX_DAYS)) return `it is ${days} days old`;
  if (minor(reported) !== minor(version)) return `it is of version ${reported}`;
  if (share === undefined) return 'its commit is not in this clone';
  if (share > MAX_CHANGED) return `${Math.round(100 * share)} % of the lines of code and tests have changed since`;
  return undefined;
}

function currentVersion() {
  return JSON.parse(readFileSync(join(root, 'packages/firstseen/package.json'), 'utf8')).version;
}

/** What `npm test` says about the report; undefined if it is young. */
export function noteOnLongForm(now = Date.now()) {
  let text;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return `there is no report of the long form of the tests; ${RUN_AGAIN}`;
  }
  const head = readHead(text);
  const problem = problemOf(head, { now, version: currentVersion(), share: changedShare(head.commit) });
  return problem && `the report of the long form of the tests is old: ${problem}; ${RUN_AGAIN}`;
}

/** Digits of a commit in a row. */
const SHORT_DIGITS = 8;

/**
 * The text of a report.
 * @param steps { name, commit, date, counts, seconds, processorSeconds, isDone, notes }
 */
export function reportText({ date, version, commit, machine, node, steps }) {
  const rows = steps.map(({ name, commit: ofStep, counts, seconds, processorSeconds, isDone }) => {
    const tests =
      counts === undefined ? (isDone ? 'passed' : 'failed') : `${counts.passed} passed, ${counts.failed} failed`;
    const times = `${seconds.toFixed(0)} | ${processorSeconds?.toFixed(0) ?? ''}`;
    return `| \`${name}\` | ${ofStep.slice(0, SHORT_DIGITS)} | ${tests} | ${times} |`;
  });
  const facts = { date, version, commit, Node: node, machine };
  return [
    '# The long form of the tests',
    '',
    'The last result of each step of `npm run test:long`. With `-- --report`, it writes this page. The date and the commit',
    'are those of the oldest result.',
    '',
    ...Object.entries(facts).map(([name, fact]) => `- ${name}: ${fact}`),
    '',
    '| step | commit | tests | seconds | seconds of processors |',
    '|---|---|---|---:|---:|',
    ...rows,
    ...steps.flatMap(({ name, notes }) =>
      notes.length > 0 ? ['', `Skipped in \`${name}\`:`, '', ...notes.map((note) => `- ${note}`)] : [],
    ),
    '',
  ].join('\n');
}

/** The place of a commit in the history. */
function commitsUpTo(commit) {
  return Number(git('rev-list', '--count', commit));
}

export function writeReport({ machine, steps }) {
  const [oldest] = steps.toSorted((a, b) => commitsUpTo(a.commit) - commitsUpTo(b.commit));
  const [date] = steps.map((step) => step.date).toSorted();
  const facts = { date, version: currentVersion(), commit: oldest.commit };
  writeFileSync(path, reportText({ ...facts, machine, node: process.version, steps }));
}
