// The line `sep=;` at the start of csv (records/separator.ts): a run takes its delimiter from the first input unless it was given one.

import { FirstseenError, optionName, phrase } from '../base/errors.js';
import type { InputReader, Source } from '../io/source.js';
import { inputName } from '../io/system/paths.js';
import { plainDialect, shownByte } from '../records/dialect.js';
import type { FormatName } from '../records/formats.js';
import { MOST_SEPARATOR_BYTES, separatorOf } from '../records/separator.js';
import type { RecordOptions, SettledOptions } from './settled.js';

/** The first bytes of an input, as many as a line that names a delimiter can have. */
async function beginningOf(reader: InputReader): Promise<Uint8Array> {
  const bytes = new Uint8Array(MOST_SEPARATOR_BYTES);
  for (let filled = 0; ; ) {
    const read = await reader.read(bytes.subarray(filled));
    filled += read;
    if (read === 0 || filled === bytes.length) return bytes.subarray(0, filled);
    if (bytes.subarray(0, filled).includes(0x0a)) return bytes.subarray(0, filled);
  }
}

/** A reader that gives bytes again that were read of it. */
function readerAgain(reader: InputReader, taken: Uint8Array): InputReader {
  let rest = taken;
  return {
    storedBytes: () => reader.storedBytes(),
    markAt: (offset) => reader.markAt(offset),
    close: () => reader.close(),
    async read(target) {
      if (rest.length === 0) return reader.read(target);
      const given = rest.subarray(0, target.length);
      target.set(given);
      rest = rest.subarray(given.length);
      return given.length;
    },
  };
}

/** An input, and its first bytes. */
interface Begun {
  source: Source;
  beginning: Uint8Array;
}

/** Reads the beginning of an input. What a pipe has given is given again by the reader that the run opens. */
async function begun(source: Source): Promise<Begun> {
  const reader = await source.open();
  const isPipe = source.note.path !== undefined && !source.note.isFile;
  try {
    const beginning = await beginningOf(reader);
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
}

/** The inputs, and the options with the delimiter that the first input names if none was given, which is told. */
export async function withSeparator(
  { records, report }: Pick<SettledOptions, 'records' | 'report'>,
  format: FormatName,
  sources: readonly Source[],
): Promise<Separated> {
  const [first, ...others] = sources;
  const isAsked = format === 'csv' && records.hasHeader && records.delimiter === undefined;
  if (!isAsked || !first) return { sources, records };
  const { source, beginning } = await begun(first);
  const delimiter = separatorOf(beginning);
  if (delimiter === undefined) return { sources: [source, ...others], records };
  report.onWarning?.(delimiterNamed(source.name, delimiter));
  return { sources: [source, ...others], records: { ...records, delimiter } };
}

/** A delimiter as it is given as a flag. */
function quoted(delimiter: string): string {
  return delimiter === '\t' ? shownByte(delimiter.charCodeAt(0)) : `'${delimiter}'`;
}

/** What is told of the first input when it names the delimiter. */
function delimiterNamed(name: string, delimiter: string): FirstseenError {
  const said = quoted(delimiter);
  return new FirstseenError('E_USAGE', `${inputName(name)}, line 1: the delimiter is ${said} by the line sep=`, {
    ...{ option: 'delimiter', remedy: phrase`give ${optionName('delimiter')} ${said} to use it without this message` },
  });
}

/** What is told of an input whose first line names another delimiter than the one that is used; undefined if it does not. */
export function otherSeparator(
  name: string,
  header: Uint8Array,
  { delimiter } = plainDialect,
): FirstseenError | undefined {
  const named = separatorOf(header);
  if (named === undefined || named.charCodeAt(0) === delimiter) return undefined;
  const [said, used] = [named, String.fromCharCode(delimiter)].map(quoted) as [string, string];
  return new FirstseenError(
    'E_USAGE',
    `${inputName(name)}, line 1: the delimiter is ${said} by the line sep=, but ${used} is used`,
    { option: 'delimiter', remedy: phrase`check ${optionName('delimiter')}` },
  );
}
