// The run of all tests without an active mutant, in pieces: which files of tests reach each mutant, how long they take, and which tests fail
// because of the switches. Each piece is a line of a file, so a run that was ended goes on where it was.

import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { readLines } from './results.mjs';
import { environment, listTests, runTests } from './suite.mjs';
import { KERNEL } from './switches.mjs';

const PIECE_FILES = 12;
const PIECE_SECONDS = 3 * 3600;

/** The files of tests that reached each number, of what processes noted. */
export function hitsOf(notes, folder) {
  const hits = {};
  for (const line of notes.join('').split('\n').filter(Boolean)) {
    const [number, file] = line.split('\t');
    hits[number] ??= new Set();
    hits[number].add(relative(folder, file));
  }
  return Object.fromEntries(Object.entries(hits).map(([number, files]) => [number, [...files].sort()]));
}

/** The line of a piece. `numbers` are those of the mutants, by their ids; `sources` is a digest of the checkout. */
export function pieceOf({ files, hits, numbers, sources }) {
  return {
    sources,
    ids: Object.keys(numbers),
    files: files.map(({ file, seconds, failures }) => ({
      file,
      seconds: Math.round(seconds * 10) / 10,
      failures: failures.map(({ name, message }) => ({ name, message: message.slice(0, 300) })),
    })),
    kernel: hits[KERNEL] ?? [],
    hits: Object.fromEntries(
      Object.entries(numbers).flatMap(([id, number]) => (number in hits ? [[id, hits[number]]] : [])),
    ),
  };
}

/** What all pieces say together. */
export function baselineOf(pieces) {
  const files = pieces.flatMap((piece) => piece.files);
  const hits = {};
  for (const [id, reaching] of pieces.flatMap((piece) => Object.entries(piece.hits))) {
    hits[id] = [...(hits[id] ?? []), ...reaching];
  }
  return {
    seconds: Object.fromEntries(files.map(({ file, seconds }) => [file, seconds])),
    /** Files that fail as a whole. */
    broken: files.filter(({ failures }) => failures.some(({ name }) => name === '')).map(({ file }) => file),
    failing: files.flatMap(({ file, failures }) =>
      failures.filter(({ name }) => name !== '').map(({ name }) => ({ file, name })),
    ),
    kernel: pieces.flatMap((piece) => piece.kernel),
    hits,
  };
}

/** What processes have noted in a folder. */
function notesIn(hits) {
  return readdirSync(hits).map((name) => readFileSync(join(hits, name), 'utf8'));
}

/** The files of a run with the failures that a second run has too. A failure that comes once is not of the switches. */
export function failingTwice(files, again) {
  const second = new Map(again.map(({ file, failures }) => [file, failures.map(({ name }) => name)]));
  return files.map((each) => ({
    ...each,
    failures: each.failures.filter(({ name }) => second.get(each.file)?.includes(name) ?? true),
  }));
}

async function measurePiece(files, { work, folder, form, numbers, sources }) {
  const hits = join(work, 'hits');
  rmSync(hits, { recursive: true, force: true });
  mkdirSync(hits, { recursive: true });
  const output = join(work, 'baseline');
  const run = async (some) => {
    const result = await runTests({
      ...{ folder, files: some, output, env: environment({ form, hits }), isWhole: true, limitSeconds: PIECE_SECONDS },
    });
    if (result.files === undefined) throw new Error(`a run of tests has failed: ${output}.txt`);
    return result.files;
  };
  const measured = await run(files);
  const failed = measured.filter(({ failures }) => failures.length > 0).map(({ file }) => file);
  const again = failed.length > 0 ? await run(failed) : [];
  return pieceOf({ files: failingTwice(measured, again), hits: hitsOf(notesIn(hits), folder), numbers, sources });
}

/** The pieces of a file that are of these sources and know all of these mutants. */
function readPieces(file, { ids, sources }) {
  if (!existsSync(file)) return [];
  return readLines(readFileSync(file, 'utf8')).filter(
    (piece) => piece.sources === sources && ids.every((id) => piece.ids.includes(id)),
  );
}

/** What a file has of the baseline of some mutants. */
export function readBaseline(file, { ids, sources }) {
  return baselineOf(readPieces(file, { ids, sources }));
}

/**
 * Reads the baseline of a file, and runs the files of tests that it lacks.
 * @param isChosen tells which files of tests are needed
 */
export async function measureBaseline({ file, isChosen, ids, ...context }) {
  const pieces = readPieces(file, { ids, sources: context.sources });
  const { seconds } = baselineOf(pieces);
  const missing = (await listTests(context)).filter((test) => !(test in seconds) && isChosen(test));
  for (let i = 0; i < missing.length; i += PIECE_FILES) {
    const piece = await measurePiece(missing.slice(i, i + PIECE_FILES), context);
    pieces.push(piece);
    appendFileSync(file, `${JSON.stringify(piece)}\n`);
  }
  return baselineOf(pieces);
}
