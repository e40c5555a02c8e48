// What the job needs in the kernel's memory for records: the paths of their texts and names, as the scanner reads them, and room for a
// record that is rewritten.

import { joinBytes } from '../../base/utf8.js';
import type { Kernel } from '../../kernel/kernel.js';
import { regionsFrom } from '../../passages/regions.js';
import { encodePath } from '../../records/encodedpath.js';
import { parseKeyPath } from '../../records/keypath.js';
import type { PassageSettings } from './passagesettings.js';

export interface RecordRegions {
  /** The paths of texts, one after the other. */
  textPaths: number;
  /** The places of the strings of a record's texts: the first byte and one past the last one. */
  strings: number;
  idPath: number;
  /** Parts of a text that are left out: the first byte and one past the last one. */
  parts: number;
  rewritten: number;
  end: number;
}

/** Parts that the kernel gets at a time. */
export const PARTS_AT_ONCE = 4096;

/** A string takes this many bytes of a record at least: its quotes, and what ends it. */
const MIN_STRING_BYTES = 3;

const SPAN_BYTES = 2 * Uint32Array.BYTES_PER_ELEMENT;

type PathSettings = Pick<PassageSettings, 'textKeys' | 'idKey'>;

function pathsOf({ textKeys, idKey }: PathSettings) {
  const textPaths = joinBytes(textKeys.map((key) => encodePath(parseKeyPath(key))));
  return { textPaths, idPath: encodePath(parseKeyPath(idKey)) };
}

/** The request for regions, besides the settings of a run. */
export interface RecordsRequest {
  maxRecordBytes: number;
  /** True if a report shows the texts of some records; false by default. */
  isReviewed?: boolean;
}

export function layOutRecords(
  settings: PathSettings & Pick<PassageSettings, 'emit'>,
  { maxRecordBytes, isReviewed = false }: RecordsRequest,
  offset: number,
): RecordRegions {
  const { take, end } = regionsFrom(offset);
  const { textPaths, idPath } = pathsOf(settings);
  const isRewritten = settings.emit === 'rewritten';
  const regions = {
    textPaths: take(textPaths.length),
    strings: take(isRewritten || isReviewed ? Math.ceil(maxRecordBytes / MIN_STRING_BYTES) * SPAN_BYTES : 0),
    idPath: take(idPath.length),
    parts: take(isRewritten ? PARTS_AT_ONCE * SPAN_BYTES : 0),
    rewritten: take(isRewritten ? maxRecordBytes : 0),
  };
  return { ...regions, end: end() };
}

/** Writes the paths to their regions. */
export function writePaths({ bytes }: Kernel, settings: PathSettings, regions: RecordRegions): void {
  const { textPaths, idPath } = pathsOf(settings);
  bytes.set(textPaths, regions.textPaths);
  bytes.set(idPath, regions.idPath);
}
