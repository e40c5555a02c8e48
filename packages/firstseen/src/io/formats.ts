// The formats of files, one row each, and what a run asks of them.

import { join } from 'node:path';
import { FirstseenError, optionName, phrase } from '../base/errors.js';
import {
  type FormatName,
  formatNames,
  type InputFormatName,
  type RecordFormat,
  recordFormats,
} from '../records/formats.js';
import { parseKeyPath } from '../records/keypath.js';
import { compressionEnding, outputCompression, withoutCompression } from './compression/compressions.js';
import { fileSourceKind } from './file/file.js';
import { byteSinkKinds, folderNames, isFolderOutput } from './file/foldersink.js';
import { pipeSourceKind } from './file/pipe.js';
import { type AskedOutput, type Container, type FileFormat, isNamedSo } from './format.js';
import { arrayFormat } from './jsonarray/format.js';
import { parquetFormat } from './parquet/format.js';
import type { WrittenFormat } from './policies.js';
import type { OutputNote } from './sink.js';
import type { InputRequest, Source } from './source.js';
import { writtenAddress } from './store/name.js';
import { objectSinkKind } from './store/sink.js';
import { isObjectName } from './system/objectname.js';

/** A format whose files hold their records as they are. An output has its records as they came, whatever its name. */
function plainFormat(name: FormatName): FileFormat {
  const { endings, isBinary = false }: RecordFormat = recordFormats[name];
  return {
    ...{ name, records: name, endings, isBinary },
    sources: [pipeSourceKind, fileSourceKind],
    sinks: [objectSinkKind, ...byteSinkKinds],
  };
}

export const fileFormats: readonly FileFormat[] = [...formatNames.map(plainFormat), parquetFormat, arrayFormat];

const containers = fileFormats.filter(({ container }) => container !== undefined);

function formatNamed(name: InputFormatName): FileFormat {
  return fileFormats.find((format) => format.name === name) as FileFormat;
}

function containerNamed(path: string | null): FileFormat | undefined {
  return containers.find((format) => isNamedSo(format, { path }));
}

/** The end of a name that decides how an output is stored: as a container, or compressed. Empty for text. */
export function storedEnding(path: string): string {
  const name = path.toLowerCase();
  const ofContainer = containerNamed(path)?.endings.find((ending) => name.endsWith(ending));
  return ofContainer ?? compressionEnding(name);
}

/** The format of the records that the name of an input suggests, ignoring the ending of a compression; undefined if it suggests none. */
export function suggestedFormat({ file }: Pick<InputRequest, 'file'>): FormatName | undefined {
  if (file === undefined) return undefined;
  const container = containerNamed(file.path);
  if (container) return container.records;
  const name = withoutCompression(file.path.toLowerCase());
  return fileFormats.find((format) => !format.container && isNamedSo(format, { path: name }))?.records;
}

/** The error for inputs whose names suggest several formats. */
function ambiguousFormat(formats: readonly string[]): FirstseenError {
  return new FirstseenError('E_USAGE', `the names of the inputs suggest the formats ${formats.join(' and ')}`, {
    option: 'format',
    remedy: phrase`give ${optionName('format')}`,
  });
}

/**
 * The format that the names of the inputs suggest.
 * @param otherwise gives the format of an input whose name suggests none; lines by default
 * @throws FirstseenError E_USAGE when they suggest several.
 */
export function commonFormat<Other extends string = 'lines'>(
  inputs: readonly InputRequest[],
  otherwise: (input: InputRequest) => Other = () => 'lines' as Other,
): FormatName | Other {
  const [format, ...others] = new Set(inputs.map((input) => suggestedFormat(input) ?? otherwise(input)));
  if (format && others.length === 0) return format;
  throw ambiguousFormat([format, ...others] as string[]);
}

/** The format of a file. One whose name says so is its container, if its records are those that were asked for. */
export function formatOfFile(path: string, format: InputFormatName): FileFormat {
  const named = containerNamed(path);
  return named?.records === format ? named : formatNamed(format);
}

/** The format of an input. */
export function formatOfInput({ file }: Pick<InputRequest, 'file'>, format: InputFormatName): FileFormat {
  return file === undefined ? formatNamed(format) : formatOfFile(file.path, format);
}

/** The format of an output. All outputs whose names are those of no container are written alike. */
export function formatOfOutput({ path }: Pick<OutputNote, 'path'>): FileFormat {
  return containerNamed(path) ?? formatNamed('lines');
}

/** Tells if an output of the records of these inputs is an array, as they are. */
export function areArrays(sources: readonly Source[]): boolean {
  return sources.length > 0 && sources.every(({ format }) => format !== undefined && formatNamed(format).isArray);
}

function containerOf({ format }: Source): Container | undefined {
  return format === undefined ? undefined : formatNamed(format).container;
}

/** @throws FirstseenError E_USAGE for an input whose format does not let it grow. */
export function checkFollowed(source: Source): void {
  const { whyNotFollowed } = source.format === undefined ? {} : formatNamed(source.format);
  if (whyNotFollowed === undefined) return;
  throw new FirstseenError(
    'E_USAGE',
    phrase`${optionName('isFollowing')} was given, but ${source.name} is ${whyNotFollowed}`,
    { option: 'isFollowing', remedy: 'leave it out' },
  );
}

/**
 * Checks the keys of a run against the inputs that say which ones they have.
 * @returns whether the times of some of them have no zone
 * @throws FirstseenError E_USAGE for a key that an input does not have.
 */
export function checkColumns(
  sources: readonly Source[],
  { keys, timeKeys }: { keys: readonly string[]; timeKeys: readonly string[] },
): boolean {
  const described = sources.filter((source) => containerOf(source));
  if (described.length === 0) return false;
  const columns = { keys: keys.map(parseKeyPath), timeKeys: timeKeys.map(parseKeyPath) };
  return described.filter((source) => containerOf(source)?.checkColumns(source, columns)).length > 0;
}

/** The format of the file for an input in an output folder: a container if the input is one, unless other lines are written. */
export function formatInFolder({ format }: Source, written: WrittenFormat | undefined): FileFormat {
  const lines = formatNamed('lines');
  if (format === undefined || written !== undefined) return lines;
  const ofInput = formatNamed(format);
  return ofInput.container ? ofInput : lines;
}

/** @throws FirstseenError when a file in a folder cannot have the format of its input. */
function checkFolder(folder: string, request: AskedOutput): void {
  const nameOf = folderNames(request);
  for (const source of request.sources) {
    const path = join(folder, nameOf(source.name));
    formatInFolder(source, request.written).container?.checkOutput(path, { ...request, sources: [source] });
  }
}

/** @throws FirstseenError E_USAGE for lines that would be written to a file of records. */
function checkLines(path: string): void {
  const { name, container } = formatOfOutput({ path });
  if (!container) return;
  const problem = phrase`${optionName('idsTo')} ${path} would have lines, but it is named as a file of ${name}`;
  throw new FirstseenError('E_USAGE', problem, {
    option: 'idsTo',
    given: path,
    remedy: 'give another name, such as dropped.tsv',
  });
}

/** @throws FirstseenError E_USAGE for an object that cannot be written. */
function checkObject(path: string): void {
  writtenAddress(path);
  const { name, container } = formatOfOutput({ path });
  if (!container) return;
  throw new FirstseenError('E_USAGE', `cannot write ${path}: ${name} is written to files only`, {
    given: path,
    remedy: 'name a file, and copy it to the store',
  });
}

/** @throws FirstseenError when an output cannot have the format that its name says, with these inputs and options. */
export function checkOutputs(outputs: readonly OutputNote[], request: Omit<AskedOutput, 'isMain'>): void {
  for (const [i, output] of outputs.entries()) {
    const { path } = output;
    outputCompression(output);
    if (path === null) continue;
    const isMain = i === 0;
    if (isObjectName(path)) checkObject(path);
    if (output.contents === 'ids') checkLines(path);
    else if (isFolderOutput(output)) checkFolder(path, { ...request, isMain });
    else formatOfOutput({ path }).container?.checkOutput(path, { ...request, isMain });
  }
}

/** Tells if an output is valid only when it is complete, so that a run that is stopped leaves it as it was. */
export function isAllOrNothing(output: Pick<OutputNote, 'path'>): boolean {
  return objectSinkKind.isKindOf(output) || formatOfOutput(output).container !== undefined;
}

/** The names that outputs have until they are complete. */
export function temporaryPaths(paths: readonly string[]): string[] {
  return paths.flatMap((path) => containerNamed(path)?.container?.temporaryPath(path) ?? []);
}

/** @throws FirstseenError E_STATE_RUN for a run that would add to an output of an earlier run that takes no more. */
export function checkContinued(outputs: readonly OutputNote[]): void {
  const output = outputs.find(isAllOrNothing);
  if (!output) return;
  const why = objectSinkKind.isKindOf(output)
    ? 'nothing can be added to an object of a store'
    : formatOfOutput(output).container?.whyNotContinued;
  throw new FirstseenError('E_STATE_RUN', `${output.path} was written by an earlier run, and ${why}`, {
    remedy: phrase`name another output, or use ${optionName('isNewRun')} to overwrite it`,
  });
}
