// `node systems/kafka/opening.mjs [--partitions 32] [--starts 5] [PACKAGE…]`: how long a worker takes to open its partitions, as a new group and as one that
// goes on from snapshots. Folders of built packages are compared; without one, it is that of this repository. Medians are printed, in seconds.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readArguments } from '../../tools/arguments.mjs';
import { Cluster } from '../../tools/support/kafka/broker.mjs';
import { withPackage } from '../../tools/support/kafka/program.mjs';
import { median } from '../../tools/support/median.mjs';
import { needed } from './support/options.mjs';
import { waitFor } from './support/waiting.mjs';
import { Worker } from './support/worker.mjs';

const RECORDS_OF_PARTITION = 6000;
const SNAPSHOT_EVERY = 5000;
const TAKEN = 'firstseen_kafka_snapshots_total{outcome="taken"}';

const { values, positionals } = readArguments({
  allowPositionals: true,
  options: { partitions: { type: 'string', default: '32' }, starts: { type: 'string', default: '5' } },
});
const partitions = Number(values.partitions);

/** Starts a worker. @returns it, and the time from its greeting until it has its partitions */
async function opened({ main, flags }) {
  const worker = Worker.start({ main, flags });
  const says = (text) =>
    waitFor(text, () => worker.output.includes(text), { milliseconds: 2, told: () => worker.output });
  await says('state: ');
  const begin = performance.now();
  await says('has the partition');
  return { worker, seconds: (performance.now() - begin) / 1000 };
}

/** Times of starts of a package: of new groups, and of those that go on. */
async function startsOf({ cluster, main, name }) {
  const [fresh, again] = [[], []];
  for (let i = 0; i < Number(values.starts); i++) {
    const group = `${name}-${i}`;
    const state = mkdtempSync(join(tmpdir(), 'firstseen-kafka-state-'));
    await cluster.tool.create(`${group}.first`, { partitions });
    const flags = [
      ...['--brokers', cluster.brokers, '--input', 'events', '--output', `${group}.first`, '--key-from', 'key'],
      ...['--group', group, '--instance', 'a', '--state', state, '--snapshot-every', String(SNAPSHOT_EVERY)],
    ];
    for (const times of [fresh, again]) {
      const { worker, seconds } = await opened({ main, flags });
      times.push(seconds);
      const isTaken = async () => times === again || (await worker.metrics()).get(TAKEN) >= partitions / 4;
      await waitFor('snapshots', isTaken, { seconds: 300, told: () => worker.output });
      await worker.stop();
    }
    rmSync(state, { recursive: true, force: true });
  }
  return { fresh, again };
}

const cluster = await Cluster.start(needed);
try {
  await cluster.tool.create('events', { partitions, settings: { 'retention.ms': -1 } });
  await cluster.tool.produce('events', { records: RECORDS_OF_PARTITION * partitions, keys: 3000 });
  for (const [number, folder] of (positionals.length > 0 ? positionals : [undefined]).entries()) {
    const { fresh, again } = await withPackage({ ...needed, folder }, ({ main }) =>
      startsOf({ cluster, main, name: `group-${number}` }),
    );
    const [one, other] = [fresh, again].map((times) => median(times).toFixed(2));
    console.log(`${folder ?? 'this package'}: ${one} s for a new group, ${other} s for one that goes on`);
  }
} finally {
  await cluster.stop();
}
