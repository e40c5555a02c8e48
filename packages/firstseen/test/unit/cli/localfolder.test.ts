// Folders of servers and workers are not in a store.

import { expect, test } from 'vitest';
import { readKafkaSettings } from '../../../src/cli/kafka/settings.js';
import { readSettings } from '../../../src/cli/serve/settings.js';

const remedy = 'name a folder of this machine, or a volume that is mounted, and copy its backups to the store';

test('the snapshots of a worker of Kafka are refused in a store', () => {
  const flags = { brokers: 'b:1', input: 'in', output: 'out', group: 'g', state: 's3://bucket/state' };
  expect(() => readKafkaSettings(flags, {})).toThrow(`is s3://bucket/state, but has to be a folder; ${remedy}`);
});

test('the data of a server are refused in a store', async () => {
  const settings = readSettings({ folder: 's3://bucket/data' }, {});
  await expect(settings).rejects.toThrow(`is s3://bucket/data, but has to be a folder; ${remedy}`);
});
