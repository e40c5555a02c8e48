// What the job needs in the kernel's memory for records: the paths of their texts and names, as the scanner reads them, and room for a
// record that is rewritten.

import type { Kernel } from '../../kernel/kernel.js';
import { regionsFrom } from '../../passages/regions.js';
import { parseKeyPath } from '../../records/keypath.js';
import { encodePath } from '../../records/settings.js';
import type { PassageSettings } from './settings.js';

export interface RecordRegions {
  textPath: number;
  idPath: number;
  /** Parts of a text that are left out: the first byte and one past the last one. */
  parts: number;
  rewritten: number;
  end: number;
}

/** Parts that the kernel gets at a time. */
export const PARTS_AT_ONCE = 4096;

type PathSettings = Pick<PassageSettings, 'textKey' | 'idKey'>;

function pathsOf({ textKey, idKey }: PathSettings) {
  return { textPath: encodePath(parseKeyPath(textKey)), idPath: encodePath(parseKeyPath(idKey)) };
}

export function layOutRecords(
  settings: PathSettings & Pick<PassageSettings, 'emit'>,
  maxRecordBytes: number,
  offset: number,
): RecordRegions {
  const { take, end } = regionsFrom(offset);
  const { textPath, idPath } = pathsOf(settings);
  const isRewritten = settings.emit === 'rewritten';
  const regions = {
    textPath: take(textPath.length),
    idPath: take(idPath.length),
    parts: take(isRewritten ? PARTS_AT_ONCE * 2 * Uint32Array.BYTES_PER_ELEMENT : 0),
    rewritten: take(isRewritten ? maxRecordBytes : 0),
  };
  return { ...regions, end: end() };
}

/** Writes the paths to their regions. */
export function writePaths({ bytes }: Kernel, settings: PathSettings, regions: RecordRegions): void {
  const { textPath, idPath } = pathsOf(settings);
  bytes.set(textPath, regions.textPath);
  bytes.set(idPath, regions.idPath);
}
