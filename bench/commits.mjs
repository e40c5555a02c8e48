// `npm run bench -- --compare COMMIT`: the main rows of this checkout and of another commit, in turns. It builds the commit
// in a temporary folder. What is compared is processor time, which other programs change less than the time until a
// program ends, and the peak of the memory.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { median } from '../tools/support/median.mjs';
import { buildCheckout, buildIn, commitOf, isChanged, root } from './lib/checkouts.mjs';
import { commitRows } from './lib/commitrows.mjs';
import { changeOf, intervalOf } from './lib/interval.mjs';
import { takeAsyncTurns } from './lib/rounds.mjs';
import { tableText } from './lib/table.mjs';

/** What the last releases took, each beside the one before it. */
const releasesPath = fileURLToPath(new URL('./releases.json', import.meta.url));
/** As a commit: that of the last release. */
const RELEASE = 'release';
const ROUNDS = 12;
const [OURS, THEIRS] = ['this checkout', 'the commit'];
const SHORT_NAME = 9;

/** The built command and library of a checkout. Compiled code is kept apart: files of both commits can have one name. */
function contenderOf(checkout, folder) {
  mkdirSync(folder);
  const library = join(checkout, 'packages/firstseen');
  return {
    bin: join(library, 'bin/firstseen.js'),
    index: join(library, 'dist/index.js'),
    env: { XDG_CACHE_HOME: folder },
    folder,
  };
}

/** The rows that are measured: those that contain a text, or else all, or all that are quick. */
export function chosenRows(rows, { isAll, text }) {
  const names = Object.keys(rows).filter((name) => rows[name].isPossible !== false);
  const chosen = names.filter((name) => (text === undefined ? isAll || !rows[name].isRare : name.includes(text)));
  if (chosen.length > 0) return chosen;
  throw new Error(`--rows is "${text}", but no row has it in its name; the rows are: ${names.join('; ')}`);
}

/** The ratio of the first to the second, for each round. */
const ratiosOf = (values, references) => values.map((value, round) => value / references[round]);

async function measureRow(name, { make, turn, unit = 's' }, contenders, rounds) {
  const args = make();
  const turns = Object.entries(contenders).map(([who, contender]) => ({
    name: who,
    turn: async () => turn(contender, args),
  }));
  // The first round writes compiled code and reads the input into memory.
  const measured = await takeAsyncTurns(turns, rounds + 1);
  const [ours, theirs] = [OURS, THEIRS].map((who) => measured[who].slice(1));
  const interval = intervalOf(ratiosOf(ours, theirs));
  return { name, unit, ours: median(ours), theirs: median(theirs), ...interval, change: changeOf(interval) };
}

/** How many times as much a row takes as at the first release, if each release was compared with the one before. */
export function driftOf(name, releases) {
  return releases.reduce((product, { ratios }) => product * (ratios[name] ?? 1), 1);
}

function rowCells({ name, unit, ours, theirs, ratio, low, high, change }) {
  const spread = low === 0 ? '' : `${low.toFixed(3)} to ${high.toFixed(3)}`;
  return [name, ...[ours, theirs].map((value) => `${value.toPrecision(3)} ${unit}`), ratio.toFixed(3), spread, change];
}

const readReleases = () => JSON.parse(readFileSync(releasesPath, 'utf8'));

/** The commit that a word means. */
function namedCommit(word, releases) {
  return commitOf(word === RELEASE ? releases.at(-1).commit : word);
}

/** A table of ratios, and for a release how far each row has drifted. */
function textOf({ commit, rows, rounds, isDirty }, releases) {
  const header = ['', OURS, commit.slice(0, SHORT_NAME), 'ratio', 'spread', 'change'];
  const cells = rows.map(rowCells);
  if (releases) {
    header.push(`since ${releases[0].version}`);
    for (const [i, { name, ratio }] of rows.entries()) cells[i].push((ratio * driftOf(name, releases)).toFixed(3));
  }
  const checkout = isDirty ? 'this checkout, with changes that are not committed,' : 'this checkout';
  return (
    `### Compared with ${commit}\n\nProcessor time of ${checkout} and of the commit, and peaks of memory; medians of ${rounds} rounds, ` +
    'in turns. The spread is the interval with 99 % confidence, of at least 8 rounds. A change is told if 1 is outside of it ' +
    `and the ratio is 2 % off.\n\n${tableText(header, cells)}`
  );
}

/** Adds this checkout to the releases, with its ratios to the last one. */
function writeRelease(releases, rows) {
  const { version } = JSON.parse(readFileSync(join(root, 'packages/firstseen/package.json'), 'utf8'));
  const ratios = Object.fromEntries(rows.map(({ name, ratio }) => [name, Number(ratio.toFixed(3))]));
  const next = { version, commit: commitOf('HEAD'), node: process.versions.node, ratios };
  writeFileSync(releasesPath, `${JSON.stringify([...releases, next], null, 2)}\n`);
}

/**
 * Compares this checkout with a commit.
 * @param {{
 *   compare: string, all?: boolean, rows?: string, quick?: boolean, write?: boolean, folder: string,
 *   tell?: (text: string) => void
 * }} options `folder` is a temporary one
 * @returns {Promise<{commit: string, rows: object[], text: string}>}
 */
export async function compareCommits({ compare, all, rows: text, quick, write, folder, tell = () => {} }) {
  const releases = readReleases();
  const isRelease = compare === RELEASE;
  if (write && !isRelease) throw new Error(`--write is for a release: with --compare, it needs --compare ${RELEASE}`);
  const isDirty = isChanged();
  if (write && isDirty)
    throw new Error('--write notes a commit, but files differ from the last one: commit them first');
  const commit = namedCommit(compare, releases);
  const rounds = quick ? 1 : ROUNDS;
  const possible = commitRows({ folder, scale: quick ? 0.01 : 1 });
  const names = chosenRows(possible, { isAll: all || write, text });
  tell('building this checkout');
  buildIn(root);
  tell(`building ${commit}`);
  const checkout = join(folder, 'checkout');
  buildCheckout(commit, checkout);
  const contenders = {
    [OURS]: contenderOf(root, join(folder, 'own')),
    [THEIRS]: contenderOf(checkout, join(folder, 'other')),
  };
  const rows = [];
  for (const name of names) {
    tell(`measuring ${name}`);
    rows.push(await measureRow(name, possible[name], contenders, rounds));
  }
  if (write) writeRelease(releases, rows);
  return { commit, rows, text: textOf({ commit, rows, rounds, isDirty }, isRelease ? releases : undefined) };
}
