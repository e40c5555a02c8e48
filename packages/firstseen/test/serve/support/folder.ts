// Data folders of servers in tests.

import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { compact } from '../../../src/serve/log/compact.js';
import type { DataFolderOptions } from '../../../src/serve/log/datafolder.js';
import { FolderMarker } from '../../../src/serve/log/marker.js';
import { recover } from '../../../src/serve/log/recover.js';
import { DetectorStore } from '../../../src/serve/store/store.js';
import { headerChecksum } from '../../../src/snapshot/checksum.js';

export type Data = Omit<DataFolderOptions, 'onLoss' | 'onWarning'>;

/** A folder that is removed after the current test. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'firstseen-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A copy of a folder as it is now, without its lock: what is left when the process is killed. */
export function killedNow(folder: string): string {
  const copy = newFolder();
  for (const name of readdirSync(folder).filter((one) => !one.endsWith('.lock'))) {
    try {
      cpSync(join(folder, name), join(copy, name));
    } catch (error) {
      // A file that is being written gets its name meanwhile; a kill may leave neither.
      if (!name.endsWith('.part') || (error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  return copy;
}

/** The checksums of logs and snapshots. */
export const checksum = headerChecksum(undefined);

/** Compacts in this process. */
export async function compactor(task: Parameters<Data['compactor']>[0]): Promise<void> {
  await compact({ ...task, checksum: await checksum });
}

/** A log that is not compacted by itself. */
export function dataIn(folder: string, data: Partial<Data> = {}): Data {
  return { durability: 'interval', onDamage: 'fail', logLimitBytes: 2 ** 30, compactor, ...data, folder };
}

/** Elements of the detector `d` that a start finds in a folder, or the code with which it fails. */
export async function elementsAfterStart(
  folder: string,
  onDamage: Data['onDamage'] = 'fail',
): Promise<number | string> {
  const store = new DetectorStore({ memoryBytes: 2 ** 30, maxDetectors: 10, maxNameBytes: 100 });
  try {
    await recover({ folder, marker: await FolderMarker.open(folder), store, checksum: await checksum, onDamage });
    return store.find('d')?.detector.observed ?? 0;
  } catch (error) {
    return (error as { code: string }).code;
  } finally {
    store.close();
  }
}
