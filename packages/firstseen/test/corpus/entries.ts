// The entries: every way in which firstseen reads untrusted bytes. An entry processes an input and describes what went wrong:
// a crash, an exit code or message that breaks the contract, or an answer that depends on how the input is split into chunks,
// depends on compression, or differs from that of the reference implementation.

import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { FirstseenError } from '../../src/base/errors.ts';
import { load, save } from '../../src/index.ts';
import { createMotifs } from '../../src/motifs.ts';
import type { FormatName } from '../../src/records/formats.ts';
import type { ScanSettings } from '../../src/records/settings.ts';
import { comparedTypes } from '../../src/records/warc.ts';
import { runFirstseen } from '../cli/support/command.ts';
import { runCommand } from '../cli/support/runner.ts';
import { framedRecords } from '../reference/framing.ts';
import { referenceIntegers } from '../reference/integers.ts';
import { referenceXxh64 } from '../reference/xxh64.ts';
import { inLongForm, isLongForm, sampleOf } from '../support/form.ts';
import { ScanHost, type ScannedRecord } from '../unit/records/scan-host.ts';
import { type Ending, runHere } from './session.ts';

export interface CorpusInput {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** Shared by the entries: a folder for files, and one scanner for each build of the kernel. */
export interface EntryHost {
  readonly folder: string;
  readonly scanners: readonly ScanHost[];
}

export interface Entry {
  readonly name: string;
  /** The format in which the entry reads its input. An entry without a format accepts every input. */
  readonly format?: string;
  /** The format of the inputs for which an entry without a format is made. */
  readonly home?: string;
  /** Set if the entry takes long. Such an entry runs only on inputs of its own format. */
  readonly isSlow?: true;
  /** Describes what went wrong in one sentence; undefined if nothing did. */
  readonly problem: (input: CorpusInput, host: EntryHost) => Promise<string | undefined>;
}

const MAX_RECORD_BYTES = 4096;
const MOTIF_BYTES = 8;
/** The number of bytes at the start of an input that are passed to the scanner one at a time. */
const MAX_SINGLE_BYTES = 300;
const MESSAGE = /^firstseen: [^\n]+ \[(E_[A-Z_]+)\]\n$/;
/** The errors for an input in UTF-16, and for a table that would be cut within its cells. */
const REFUSED =
  /^firstseen: (cannot read [^\n]+: it is text in UTF-16; |[^\n]+: a record would end within a quoted field, )/;
/** The notice about an input whose bytes differ from those that its state has read. */
const REPLACED = /^firstseen: [^\n]+ was replaced since it was last read[^\n]*\n/;
/** The messages that a run with `drop` may write before its last one: warnings about dropped records and damaged inputs. */
const DROPPED =
  /^(?:firstseen: warning: [^\n]+ (?:dropped|is left out)[^\n]* \[E_(?:RECORD|INPUT)\]\n|firstseen: damaged inputs, [^\n]+\n)+/;
/** The warning of a run over a table whose header seems to have another delimiter. */
const DELIMITER = /^firstseen: warning: [^\n]+ seems to have the delimiter [^\n]+ \[E_USAGE\]\n/;
/** The warning of a run over files, some of which could not be compared. */
const NOT_COMPARED = /^firstseen: warning: \d+ files? could not be compared; [^\n]+ \[E_[A-Z_]+\]\n$/;

/** The warning of a run over documents, some of which have no text. */
const BLANK = /^firstseen: warning: \d+ documents have nothing but blanks: [^\n]+\n$/;

export const MAX_INPUT_BYTES = 1 << 17;

export async function openHost(folder: string): Promise<EntryHost> {
  const variants = ['release', 'debug'] as const;
  return { folder, scanners: await Promise.all(variants.map((name) => ScanHost.create(name, MAX_INPUT_BYTES))) };
}

/** How an ending breaks the contract of the command, which covers exit codes, a one-line message and a known error. */
function endingProblem(ending: Ending, args: readonly string[] = []): string | undefined {
  const { code, failure } = ending;
  const ofTable = args.includes('csv') ? ending.message.replace(DELIMITER, '') : ending.message;
  const message = args.includes('drop') ? ofTable.replace(DROPPED, '') : ofTable;
  if (code === 0) {
    const isOfFiles = args.includes('files') && NOT_COMPARED.test(message);
    const isOfDocuments = args.includes('near') && BLANK.test(message);
    const isExpected = message === '' || isOfFiles || isOfDocuments;
    return isExpected ? undefined : `it succeeded and said ${message}`;
  }
  if (code !== 1 && code !== 2) return `its exit code is ${code}`;
  if (!(failure instanceof FirstseenError)) return `it threw ${failure}`;
  const saidCode = MESSAGE.exec(message.replace(REPLACED, ''))?.[1];
  return saidCode === failure.code ? undefined : `it failed with ${failure.code} and said ${message}`;
}

interface Answer extends Ending {
  readonly output: string;
}

/** Runs over one file. The file has a fixed name, so that the name does not select the format. */
async function answerOf(host: EntryHost, name: string, bytes: Uint8Array, args: readonly string[]): Promise<Answer> {
  const input = join(host.folder, name);
  const output = join(host.folder, 'out');
  writeFileSync(input, bytes);
  rmSync(output, { force: true });
  const ending = await runHere([...args, input, '-o', output]);
  return { ...ending, output: existsSync(output) ? readFileSync(output, 'latin1') : '' };
}

/** Whether the bytes start like compressed data. For integers, only the file name decides whether they are compressed. */
function looksCompressed(bytes: Uint8Array): boolean {
  const head = Buffer.from(bytes.subarray(0, 4)).toString('hex');
  return head.startsWith('1f8b') || head === '28b52ffd' || /^5.2a4d18/.test(head);
}

function differenceOf(plain: Answer, other: Answer): string | undefined {
  if (plain.code !== other.code) return `exit code ${plain.code}, but ${other.code}`;
  if (plain.output !== other.output) return `${JSON.stringify(plain.output)}, but ${JSON.stringify(other.output)}`;
  const codes = [plain, other].map(({ message }) => MESSAGE.exec(message)?.[1]);
  return codes[0] === codes[1] ? undefined : `${codes[0]}, but ${codes[1]}`;
}

/**
 * Runs over the plain input and, if it is of the format, over the same input compressed, which is read in different chunks. An input of
 * another format mostly ends with the first record.
 */
function runEntry(format: string, args: readonly string[]): Entry {
  return {
    name: args.join(' '),
    format,
    problem: async ({ name, bytes }, host) => {
      const plain = await answerOf(host, 'in', bytes, args);
      const problem = endingProblem(plain, args);
      if (problem !== undefined || (format !== 'u64' && looksCompressed(bytes))) return problem;
      if (formatOfName(name) !== format) return undefined;
      const compressed = await answerOf(host, 'in.gz', gzipSync(bytes, { level: 1 }), args);
      const difference = differenceOf(plain, compressed);
      return difference === undefined ? undefined : `plain it is ${difference} when compressed`;
    },
  };
}

const timeFlags = ['--window', '1h', '--time-key', 'at'];
const keyFlags: Readonly<Record<FormatName, readonly (readonly string[])[]>> = {
  lines: [[]],
  nul: [[]],
  ndjson: [[], ['-k', 'a'], ['-k', 'b[0].a', '-k', 'a.b'], ['-k', 'a', ...timeFlags], timeFlags],
  csv: [
    ...[[], ['-k', '1'], ['-k', 'a'], ['--no-header', '-k', '2', '-k', '1'], ['-k', 'a', ...timeFlags]],
    ['--no-header', '-k', '2', '--delimiter', ';', '--quote', "'"],
  ],
  tsv: [[], ['-k', '1'], ['-k', 'a'], ['--no-header', '-k', '2', '-k', '1'], ['-k', 'a', ...timeFlags]],
  fields: [
    [],
    ['-k', '2'],
    ['-k', '2', '-k', '1', '--delimiter', ','],
    ['-k', '1', '--window', '1h', '--time-key', '2'],
  ],
  logfmt: [[], ['-k', 'a'], ['-k', 'b', '-k', 'a'], ['-k', 'a', ...timeFlags]],
  warc: [
    [],
    ['-k', 'url'],
    ['-k', 'payload', '-k', 'type'],
    ['--warc-type', 'all', '-k', 'block', ...['--window', '1h', '--time-key', 'date']],
  ],
  u64: [[], ['--fingerprint', 'identity']],
};
const failing = ['--on-error', 'fail', '--missing-key', 'fail'];
const passing = ['--on-error', 'pass', '--missing-key', 'distinct'];
const dropping = ['--on-error', 'drop', '--missing-key', 'drop', '--emit', 'verdicts'];
const formats = Object.keys(keyFlags) as FormatName[];

function dedupEntries(): Entry[] {
  const common = ['--max-record', `${MAX_RECORD_BYTES}`, '-m', '64KiB'];
  return formats.flatMap((format) => {
    const [wholes = [], keyed = wholes] = keyFlags[format];
    const variants = keyFlags[format].flatMap((keys) => [
      [...keys, ...passing],
      [...keys, '--strict', ...passing],
    ]);
    const others = [failing, dropping].map((policy) => [...keyed, ...policy]);
    return [...variants, ...others].map((flags) => runEntry(format, ['-f', format, ...common, ...flags]));
  });
}

const nearFlags: readonly (readonly [format: string, ...flags: string[]])[] = [
  ['lines', '--emit', 'annotated'],
  ['files', '--emit', 'verdicts', '--lsh', 'simhash', '--case', 'unicode'],
  ['ndjson', '--text-key', 'a', '--emit', 'annotated', '--sets', '2'],
  ['ndjson', '--text-key', 'text', '--emit', 'annotated', '--explain', '2', '--id-key', 'id'],
  ['csv', '--text-key', 'a', '--emit', 'annotated'],
  ['tsv', '--text-key', 'a', '--normalize', 'nfc'],
  ['u64', '--lsh', 'bits', '--emit', 'verdicts'],
  ['csv', '--text-key', 'a', '--lsh', 'bits', '--document-bytes', '8', '--encoding', 'hex'],
];

function nearEntries(): Entry[] {
  const common = ['near', '-m', '64KiB', '--max-record', `${MAX_INPUT_BYTES}`];
  return nearFlags.flatMap(([format, ...flags]) =>
    [failing, passing].map((policy) => {
      return runEntry(format, [...common, '-f', format, ...flags, ...policy]);
    }),
  );
}

/** Range motifs over records of eight bytes: the answer for a record does not depend on the records after it. */
async function motifsProblem({ bytes }: CorpusInput): Promise<string | undefined> {
  const records = bytes.subarray(0, bytes.length - (bytes.length % MOTIF_BYTES));
  const options = { recordBytes: MOTIF_BYTES, sets: 2, hashes: 8, addressBits: 8, batchRecords: 64 };
  const [whole, half] = await Promise.all([createMotifs(options), createMotifs(options)]);
  const cut = MOTIF_BYTES * Math.floor(records.length / MOTIF_BYTES / 128) * 64;
  const all = [...whole.observe(records).sets];
  const parts = [records.subarray(0, cut), records.subarray(cut)].flatMap((part) => [...half.observe(part).sets]);
  return `${all}` === `${parts}` ? undefined : `in one piece the sets are ${all}, but in two ${parts}`;
}

/** Continues a run from the file as its state. The input and output have the names that the states of the corpus record. */
function resumingEntry(args: readonly string[]): Entry {
  return {
    name: `${args.join(' ')} with the file as its state`,
    home: 'state',
    problem: async ({ bytes }, { folder }) => {
      const before = process.cwd();
      process.chdir(folder);
      try {
        writeFileSync('state', bytes);
        writeFileSync('more', 'a\nb\na\nc\n');
        writeFileSync('out', '.'.repeat(64));
        return endingProblem(await runHere([...args, 'more', '-o', 'out', '--state', 'state']));
      } finally {
        process.chdir(before);
      }
    },
  };
}

/** Inspects the file as a state, and continues runs from it. */
function stateEntries(): Entry[] {
  return [
    {
      name: 'inspect',
      home: 'state',
      problem: async ({ bytes }, { folder }) => {
        const path = join(folder, 'state');
        writeFileSync(path, bytes);
        return endingProblem(await runHere(['inspect', path]));
      },
    },
    resumingEntry(['-f', 'lines']),
    resumingEntry(['-f', 'lines', '-a', 'exact', '-m', '1KiB']),
    resumingEntry(['near', '-f', 'lines', '-a', 'exact', '-m', '4KiB', '--emit', 'annotated']),
  ];
}

/** Passes the bytes to the library. */
const libraryEntries: readonly Entry[] = [
  { name: 'load', home: 'state', problem: loadProblem },
  { name: 'motifs', home: 'binary', problem: motifsProblem },
];

/**
 * Plans with the file as the sample of a stream. The plan, which takes seconds, depends on counts alone: in the short form, the run is for
 * a stream so much longer that it is refused as soon as the sample is read.
 */
function sampleEntry(format: FormatName): Entry {
  const length = inLongForm([], ['--expect-length', '1000000000']);
  return {
    name: `plan --sample -f ${format}`,
    format,
    isSlow: true,
    problem: async ({ bytes }, { folder }) => {
      const path = join(folder, 'sample');
      writeFileSync(path, bytes);
      return endingProblem(await runHere(['plan', '--sample', path, '-f', format, '-m', '1KiB', ...length]));
    },
  };
}

/** Runs the built command over a named file or over the pieces of standard input. A process gets the pieces through a pipe. */
async function builtAnswer(host: EntryHost, args: readonly string[], stdin: readonly Uint8Array[]): Promise<Answer> {
  const run = inLongForm(runFirstseen, runCommand);
  const { code, stdout, stderr } = await run(args, { cwd: host.folder, stdin });
  return { code: code ?? -1, message: stderr, failure: undefined, output: stdout.toString('latin1') };
}

/** Runs the built command over the input as a file, and over the same bytes from standard input in several pieces. */
function pipeEntry(format: string, args: readonly string[]): Entry {
  return {
    name: `${args.join(' ')} from standard input in pieces`,
    format,
    isSlow: true,
    problem: async ({ bytes }, host) => {
      const cuts = [1, Math.floor(bytes.length / 3), Math.floor((2 * bytes.length) / 3), bytes.length - 1];
      const ends = [...cuts.filter((cut) => cut > 0).sort((a, b) => a - b), bytes.length];
      const pieces = ends.map((end, i) => bytes.subarray(ends[i - 1] ?? 0, end));
      writeFileSync(join(host.folder, 'in'), bytes);
      const [whole, cut] = await Promise.all([
        builtAnswer(host, [...args, 'in'], []),
        builtAnswer(host, [...args, '-'], pieces),
      ]);
      const unsaid = [whole, cut].find(({ code, message }) => code !== 0 && !MESSAGE.test(message));
      if (unsaid !== undefined) return `its exit code is ${unsaid.code}, and it said ${unsaid.message}`;
      // Of a pipe only what has come decides, so that its first line does not have to wait.
      if (REFUSED.test(whole.message) && cut.code === 0) return undefined;
      const difference = differenceOf(whole, cut);
      return difference === undefined ? undefined : `as a file it is ${difference} from standard input`;
    },
  };
}

const motifFlags = ['--record-bytes', '8', '--sets', '2', '--hashes', '8', '--address-bits', '8', '--threads', '1'];

function slowEntries(): Entry[] {
  const motifs = ['binary', 'hex'].map((format) =>
    pipeEntry(format, ['motifs', '-f', format, ...motifFlags, '--emit', 'assignments']),
  );
  const records = formats.map((format) => pipeEntry(format, ['-f', format, '-m', '64KiB', ...passing]));
  return [...records, ...motifs, ...formats.map(sampleEntry)];
}

async function loadProblem({ bytes }: CorpusInput): Promise<string | undefined> {
  try {
    const detector = await load(bytes);
    detector.observeBatch(BigUint64Array.from({ length: 300 }, (_, i) => BigInt(i % 200) * 0x9e3779b97f4a7c15n));
    const { load: fraction, observed, duplicates } = detector.stats();
    if (!(fraction >= 0 && fraction <= 1)) return `the load is ${fraction}`;
    if (!(duplicates <= observed)) return `there are ${duplicates} duplicates of ${observed}`;
    await load(await save(detector));
    return undefined;
  } catch (error) {
    return error instanceof FirstseenError ? undefined : `it threw ${error}`;
  }
}

const scanSettings: readonly ScanSettings[] = formats.flatMap((format): ScanSettings[] => {
  const common = { format, fingerprint: 'xxh64', maxRecordBytes: MAX_RECORD_BYTES } as const;
  if (format === 'ndjson') return [common, { ...common, paths: [['a']] }, { ...common, paths: [['b', 0, 'a'], ['a']] }];
  if (format === 'csv' || format === 'tsv')
    return [common, { ...common, columns: [0] }, { ...common, columns: [2, 1] }];
  if (format === 'warc')
    return [
      { ...common, types: comparedTypes },
      { ...common, paths: [['warc-type'], [1]] },
    ];
  return [common];
});

/** Positions that cut an input into one piece, into three pieces, and into single bytes. */
function cutsOf(length: number): number[][] {
  const thirds = [Math.floor(length / 3), Math.floor((2 * length) / 3)];
  const single = Array.from({ length: Math.min(length, MAX_SINGLE_BYTES) }, (_, i) => i);
  return [[], thirds, single];
}

/** Whether the reference implementation can read the input: it extracts keys only from valid JSON. */
function isForReference(bytes: Uint8Array, { format, paths = [] }: ScanSettings): boolean {
  if (format !== 'ndjson' || paths.length === 0) return true;
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.split('\n').every((line) => /^\r?$/.test(line) || isObject(JSON.parse(line)));
  } catch {
    return false;
  }
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Records as text, without the fingerprints of records that have no key. */
function recordsText(records: readonly ScannedRecord[]): string {
  return records
    .map(({ start, end, class: code, fingerprint }) => `${start}-${end} ${code} ${code === 0 ? fingerprint : ''}`)
    .join('\n');
}

function referenceText(bytes: Uint8Array, settings: ScanSettings): string {
  return recordsText(
    framedRecords(bytes, settings).map(({ key, ...record }) => {
      if (record.class !== 0 || key === undefined) return { ...record, fingerprint: 0n };
      if (settings.format !== 'u64') return { ...record, fingerprint: referenceXxh64(key, 0n) };
      // The bytes of an input may be a part of a longer buffer.
      const integer = new DataView(key.buffer, key.byteOffset).getBigUint64(0, true);
      return { ...record, fingerprint: referenceIntegers.xxh64(integer, 0n) };
    }),
  );
}

function scanEntry(settings: ScanSettings): Entry {
  const keys = JSON.stringify(settings.paths ?? settings.columns ?? []);
  return {
    name: `scan ${settings.format} by ${keys}`,
    home: settings.format,
    problem: async ({ bytes }, { scanners }) => {
      const expected = isForReference(bytes, settings) ? referenceText(bytes, settings) : undefined;
      const answers = scanners.flatMap((scanner) =>
        cutsOf(bytes.length).map((cuts) => recordsText(scanner.scan(bytes, settings, cuts))),
      );
      const [first = ''] = answers;
      const other = answers.find((answer) => answer !== first);
      if (other !== undefined) return `in pieces the records are\n${other}\nand not\n${first}`;
      if (expected !== undefined && first !== expected) return `the records are\n${first}\nand not\n${expected}`;
      return undefined;
    },
  };
}

export const scanEntries: readonly Entry[] = scanSettings.map(scanEntry);
const runEntries: readonly Entry[] = [...stateEntries(), ...slowEntries(), ...dedupEntries(), ...nearEntries()];
export const entries: readonly Entry[] = [...scanEntries, ...libraryEntries, ...runEntries];

const formatsByEnding: Readonly<Record<string, string>> = {
  txt: 'lines',
  nul: 'nul',
  ndjson: 'ndjson',
  csv: 'csv',
  tsv: 'tsv',
  u64: 'u64',
  warc: 'warc',
  bin: 'binary',
  hex: 'hex',
  state: 'state',
};

/** Entries made for other inputs that an input goes through in the short form. */
const STRANGE_ENTRIES = 1;

/** Runs of the command made for its format that an input goes through at least in the short form. */
const MIN_RUNS = 2;

/** The format that a file name suggests, with or without an extension for compression. */
function formatOfName(name: string): string | undefined {
  return formatsByEnding[/\.(\w+)(?:\.(?:gz|zst))?$/.exec(name)?.[1] ?? ''];
}

/** The place of an input among those whose names suggest the same format. */
interface InputPlace {
  readonly index: number;
  readonly count: number;
}

export function placeOf({ name }: CorpusInput, inputs: readonly CorpusInput[]): InputPlace {
  const alike = inputs.filter((input) => formatOfName(input.name) === formatOfName(name));
  return { index: alike.findIndex((input) => input.name === name), count: alike.length };
}

/** All runs in the long form. In the short form, each run goes to one of a few inputs that follow one another. */
function runsAt({ index, count }: InputPlace, runs: readonly Entry[], seed: number): readonly Entry[] {
  if (isLongForm) return runs;
  const turns = Math.max(1, Math.min(count, Math.floor(runs.length / MIN_RUNS)));
  return runs.filter((_, i) => i % turns === (index + seed) % turns);
}

/**
 * The entries for an input: those of its format and those made for it; and of the others, those without a format and one fast entry of
 * each format.
 * @param seed draws a sample of the others in the short form, and deals out the runs of the command
 */
export function entriesFor({ name }: CorpusInput, place: InputPlace, seed: number): readonly Entry[] {
  const own = formatOfName(name);
  const isOwn = ({ format, home }: Entry) => (format ?? home) === own;
  const strange = entries.filter((entry, i) => {
    if (isOwn(entry) || entry.isSlow) return false;
    return entry.format === undefined || entries.findLastIndex(({ format }) => format === entry.format) === i;
  });
  const ownRuns = runEntries.filter(isOwn);
  const besideRuns = entries.filter((entry) => isOwn(entry) && !runEntries.includes(entry));
  return [...besideRuns, ...runsAt(place, ownRuns, seed), ...sampleOf(strange, STRANGE_ENTRIES, seed + place.index)];
}

/** Describes what went wrong with an input, including any thrown error. */
export async function problemOf(entry: Entry, input: CorpusInput, host: EntryHost): Promise<string | undefined> {
  try {
    return await entry.problem(input, host);
  } catch (error) {
    return `it crashed: ${error instanceof Error ? error.stack : error}`;
  }
}
