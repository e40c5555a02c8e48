// The packages that read and write Parquet. They are optional, and loaded only when a run has a Parquet file.

import { FirstseenError } from '../../base/errors.js';

const READING = ['hyparquet', 'hyparquet-compressors'];
const WRITING = [...READING, 'hyparquet-writer'];

function isMissing(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === 'ERR_MODULE_NOT_FOUND';
}

/** @throws FirstseenError E_PACKAGE when a package is not installed. */
async function loaded<Modules>(names: readonly string[], load: () => Promise<Modules>): Promise<Modules> {
  try {
    return await load();
  } catch (cause) {
    if (!isMissing(cause)) throw cause;
    const problem = `Parquet needs the packages ${names.join(', ')}, which are not installed`;
    const remedy = `run npm install ${names.join(' ')}, with -g if firstseen was installed with -g`;
    throw new FirstseenError('E_PACKAGE', problem, { remedy, cause });
  }
}

export type ParquetReading = Awaited<ReturnType<typeof loadReading>>;

/** @throws FirstseenError E_PACKAGE when a package is not installed. */
export function loadReading() {
  return loaded(READING, async () => {
    const { parquetMetadataAsync, parquetScan } = await import('hyparquet');
    const { compressors } = await import('hyparquet-compressors');
    return { parquetMetadataAsync, parquetScan, compressors };
  });
}

/** @throws FirstseenError E_PACKAGE when a package is not installed. */
export function loadWriting() {
  return loaded(WRITING, () => import('hyparquet-writer'));
}
