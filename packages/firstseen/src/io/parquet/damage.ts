// Errors of Parquet files whose content is damaged.

import { DamagedInput } from '../source.js';
import type { Leaf } from './leaves.js';

/** A row group of a file. */
export interface GroupPlace {
  /** The name of the file. */
  readonly name: string;
  readonly group: number;
}

export function damaged(problem: string, cause: unknown): DamagedInput {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new DamagedInput(`${problem}: ${reason}`, { remedy: 'copy or write the file again', cause });
}

/** The error for a row group that cannot be decoded. */
export function damagedGroup({ name, group }: GroupPlace, cause: unknown): DamagedInput {
  return damaged(`cannot read ${name}: row group ${group + 1} is damaged or cannot be decoded`, cause);
}

/** The error for a column of a row group that cannot be decoded. */
export function damagedColumn({ name, group }: GroupPlace, { column }: Leaf, cause: unknown): DamagedInput {
  const where = `row group ${group + 1}, column ${JSON.stringify(column)}`;
  return damaged(`cannot read ${name}: ${where} is damaged or cannot be decoded`, cause);
}
