// The line `sep=;` at the start of csv (records/separator.ts): a run takes its delimiter from the first input unless it was given one.

import { FirstseenError, optionName, phrase } from '../base/errors.js';
import { joinBytes } from '../base/utf8.js';
import { type InputReader, InputReplaced, type Source, withRead } from '../io/source.js';
import { plainDialect, shownByte } from '../records/dialect.js';
import type { FormatName } from '../records/formats.js';
import { MAX_SEPARATOR_BYTES, separatorOf } from '../records/separator.js';
import { LOOKED_AT_BYTES } from '../records/tablereading.js';
import type { RecordOptions, SettledOptions } from './settled.js';

const NEWLINE = 0x0a;

/** Tells if the first bytes of an input are enough to tell whether they name a delimiter. */
function isLine(beginning: Uint8Array): boolean {
  return beginning.length >= MAX_SEPARATOR_BYTES || beginning.includes(NEWLINE);
}

/** The first bytes of an input, at least as many as a line that names a delimiter can have. */
async function beginningOf(reader: InputReader, capacity: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(capacity);
  for (let filled = 0; ; ) {
    const read = await reader.read(bytes.subarray(filled));
    filled += read;
    const beginning = bytes.subarray(0, filled);
    if (read === 0 || isLine(beginning)) return beginning;
  }
}

/** A reader that gives bytes again that were read of it. */
function readerAgain(reader: InputReader, taken: Uint8Array): InputReader {
  let rest = taken;
  return withRead(reader, async (target) => {
    if (rest.length === 0) return reader.read(target);
    const given = rest.subarray(0, target.length);
    target.set(given);
    rest = rest.subarray(given.length);
    return given.length;
  });
}

/** A reader that refuses an input whose first line names a delimiter, because it had no whole first line when the run looked at it. */
function checkedReader(reader: InputReader, name: string): InputReader {
  let beginning: Uint8Array | undefined = new Uint8Array();
  return withRead(reader, async (target) => {
    const read = await reader.read(target);
    if (beginning === undefined) return read;
    beginning = joinBytes([beginning, target.slice(0, Math.min(read, MAX_SEPARATOR_BYTES))]);
    if (!isLine(beginning)) return read;
    if (separatorOf(beginning) !== undefined) throw new InputReplaced(name);
    beginning = undefined;
    return read;
  });
}

/** An input, and its first bytes. */
interface Begun {
  source: Source;
  beginning: Uint8Array;
}

/** An input that has no whole first line yet. The run begins again when that line turns out to name a delimiter. */
export function checkedSource(source: Source): Source {
  return {
    ...source,
    async open(...at) {
      const reader = await source.open(...at);
      return at[0] === undefined ? checkedReader(reader, source.name) : reader;
    },
  };
}

/** Reads the beginning of an input. What a pipe has given is given again by the reader that the run opens. */
async function begun(source: Source): Promise<Begun> {
  const reader = await source.open();
  const isPipe = source.note.path !== undefined && !source.note.isFile;
  try {
    // The run looks at the first bytes that a pipe gives at once, whether they are a table with another delimiter.
    const beginning = await beginningOf(reader, isPipe ? LOOKED_AT_BYTES : MAX_SEPARATOR_BYTES);
    if (!isPipe) return { source, beginning };
    return { source: { ...source, open: async () => readerAgain(reader, beginning) }, beginning };
  } finally {
    if (!isPipe) await reader.close();
  }
}

/** The inputs of a run, and how their records are read. */
interface Separated {
  sources: readonly Source[];
  records: RecordOptions;
  /** True if the first line of the first input may still turn out to name a delimiter. */
  mayNameLater: boolean;
}

/** The inputs, and the options with the delimiter that the first input names if none was given, which is told. */
export async function withSeparator(
  { records, report }: Pick<SettledOptions, 'records' | 'report'>,
  format: FormatName,
  sources: readonly Source[],
  keys: readonly string[],
): Promise<Separated> {
  const [first, ...furtherSources] = sources;
  // Without a header, the line is a record, but no field of it is one that a key names.
  const { skipLines, delimiter: delimiterOption } = records;
  const isAsked =
    format === 'csv' && delimiterOption === undefined && skipLines === 0 && (records.hasHeader || keys.length > 0);
  if (!isAsked || !first) return { sources, records, mayNameLater: false };
  const { source, beginning } = await begun(first);
  const delimiter = separatorOf(beginning);
  if (delimiter === undefined) {
    return { sources: [source, ...furtherSources], records, mayNameLater: records.hasHeader && !isLine(beginning) };
  }
  if (!records.hasHeader) throw separatorWithoutHeader(source.name, delimiter);
  report.onWarning?.(delimiterNamed(source.name, delimiter));
  return { sources: [source, ...furtherSources], records: { ...records, delimiter }, mayNameLater: false };
}

/** A delimiter as it is given as a flag. */
export function shownDelimiter(delimiter: number): string {
  const shown = shownByte(delimiter);
  return shown.length === 1 ? `'${shown}'` : shown;
}

/** Returns the error for the first input when it names the delimiter. */
function delimiterNamed(name: string, delimiter: string): FirstseenError {
  const said = shownDelimiter(delimiter.charCodeAt(0));
  return new FirstseenError('E_USAGE', `${name}, line 1: the delimiter is ${said} by the line sep=`, {
    ...{ option: 'delimiter', remedy: phrase`give ${optionName('delimiter')} ${said} to use it without this message` },
  });
}

/** The error for a table without a header whose first line names the delimiter: the line would be a record. */
function separatorWithoutHeader(name: string, delimiter: string): FirstseenError {
  const said = shownDelimiter(delimiter.charCodeAt(0));
  const [option, header] = [optionName('delimiter'), optionName('hasHeader')];
  const problem = `${name}, line 1: the delimiter is ${said} by the line sep=, which is not a record`;
  const remedy = phrase`leave ${header} out if a header follows the line; otherwise remove the line and give ${option} ${said}`;
  return new FirstseenError('E_USAGE', problem, { option: 'delimiter', remedy });
}

/**
 * Returns the error for an input whose first line names another delimiter than the one that is used; undefined if it
 * does not.
 */
export function otherSeparator(
  name: string,
  header: Uint8Array,
  { delimiter } = plainDialect,
): FirstseenError | undefined {
  const named = separatorOf(header)?.charCodeAt(0);
  if (named === undefined || named === delimiter) return undefined;
  const [said, used] = [named, delimiter].map(shownDelimiter) as [string, string];
  return new FirstseenError(
    'E_USAGE',
    `${name}, line 1: the delimiter is ${said} by the line sep=, but ${used} is used`,
    { option: 'delimiter', remedy: phrase`check ${optionName('delimiter')}` },
  );
}
