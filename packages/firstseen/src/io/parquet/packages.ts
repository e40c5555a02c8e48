// The packages that read and write Parquet.

import { loadedPackages } from '../system/optionalpackages.js';

const READING = ['hyparquet', 'hyparquet-compressors'];
const WRITING = [...READING, 'hyparquet-writer'];

export type ParquetReading = Awaited<ReturnType<typeof loadReading>>;

/** @throws FirstseenError E_PACKAGE when a package is not installed. */
export function loadReading() {
  return loadedPackages({ what: 'Parquet', packages: READING }, async () => {
    const { parquetMetadataAsync, parquetScan } = await import('hyparquet');
    const { compressors } = await import('hyparquet-compressors');
    return { parquetMetadataAsync, parquetScan, compressors };
  });
}

/** @throws FirstseenError E_PACKAGE when a package is not installed. */
export function loadWriting() {
  return loadedPackages({ what: 'Parquet', packages: WRITING }, () => import('hyparquet-writer'));
}
