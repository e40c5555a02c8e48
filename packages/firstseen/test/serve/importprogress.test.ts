// The process that writes snapshots tells its progress while it reads a detector that was sent: without that, it is taken for one that stands still.

import { expect, test } from 'vitest';
import { create, save } from '../../src/index.js';
import { compact } from '../../src/serve/log/compact.js';
import { checksum, dataIn, newFolder } from './support/folder.js';
import { withServer } from './support/server.js';

test('a compaction tells as much progress while it reads what was sent as while it reads the same from snapshots', async () => {
  const detector = await create({ memory: '8MiB' });
  // Cells without elements are not in a snapshot.
  detector.observeBatch(BigUint64Array.from({ length: 1e5 }, (_, i) => BigInt(i) * 0x9e3779b97f4a7c15n));
  const snapshot = await save(detector);
  const counts: number[] = [];
  const compactor: ReturnType<typeof dataIn>['compactor'] = async (task) => {
    let count = 0;
    const onProgress = () => void count++;
    await compact({ ...task, checksum: await checksum, onProgress });
    counts.push(count);
  };
  await withServer(
    async (client, { httpPort }) => {
      const path = `http://127.0.0.1:${httpPort}/detectors/d/snapshot`;
      const headers = { 'Content-Type': 'application/octet-stream' };
      expect((await fetch(path, { method: 'PUT', headers, body: Buffer.from(snapshot) })).status).toBe(201);
      for (let i = 0; i < 2; i++) await client.send('FS.SAVE');
    },
    { httpPort: 0, data: dataIn(newFolder(), { compactor }) },
  );
  const [sent, saved] = counts as [number, number];
  expect(sent).toBeGreaterThanOrEqual(saved);
});
