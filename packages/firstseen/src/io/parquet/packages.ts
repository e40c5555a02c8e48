// The packages that read and write Parquet.

import { loadedPackages } from '../system/optionalpackages.js';

const READING = ['hyparquet', 'hyparquet-compressors'];

export type ParquetReading = Awaited<ReturnType<typeof loadReading>>;

/** @throws FirstseenError E_PACKAGE when a package is not installed. */
export function loadReading() {
  return loadedPackages({ what: 'Parquet', packages: READING }, async () => {
    const { parquetMetadataAsync } = await import('hyparquet');
    const { compressors } = await import('hyparquet-compressors');
    return { parquetMetadataAsync, compressors };
  });
}
