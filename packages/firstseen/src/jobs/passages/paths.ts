// The paths of the texts and of the names of records, as the scanner reads them in the kernel's memory.

import type { Kernel } from '../../kernel/kernel.js';
import { regionsFrom } from '../../passages/regions.js';
import { parseKeyPath } from '../../records/keypath.js';
import { encodePath } from '../../records/settings.js';
import type { PassageSettings } from './settings.js';

/** Their addresses, and one past the last of them. */
export interface PathRegions {
  text: number;
  id: number;
  end: number;
}

function encoded({ textKey, idKey }: Pick<PassageSettings, 'textKey' | 'idKey'>) {
  return { text: encodePath(parseKeyPath(textKey)), id: encodePath(parseKeyPath(idKey)) };
}

export function layOutPaths(settings: PassageSettings, offset: number): PathRegions {
  const { take, end } = regionsFrom(offset);
  const { text, id } = encoded(settings);
  const regions = { text: take(text.length), id: take(id.length) };
  return { ...regions, end: end() };
}

/** Writes the paths to their regions. */
export function writePaths({ bytes }: Kernel, settings: PassageSettings, regions: PathRegions): void {
  const { text, id } = encoded(settings);
  bytes.set(text, regions.text);
  bytes.set(id, regions.id);
}
