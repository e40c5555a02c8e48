// What the server and a worker for Kafka tell that have used all that they have metrics for.

import { expect } from 'vitest';
import { runTogether } from '../../../src/kafka/group/halves.js';
import { schemeOfCut } from '../../../src/kafka/repartition/partitioner.js';
import { Repartitioner } from '../../../src/kafka/repartition/repartitioner.js';
import { serveHealth } from '../../../src/kafka/watch/health.js';
import { content, FakeClient, FakeCluster } from '../../kafka/support/fakecluster.js';
import { isDone, makeTopics, newWorker, settingsFor, topics } from '../../kafka/support/workers.js';
import { Client } from '../../serve/support/client.js';
import { dataIn } from '../../serve/support/folder.js';
import { ask, withHttp } from '../../serve/support/http.js';
import { type Series, seriesIn } from './series.js';

/** @param folder that of the data */
export async function toldByServer(folder: string): Promise<Series[]> {
  let told: Series[] = [];
  await withHttp(
    async (port, server) => {
      const client = await Client.open(server.port);
      const commands = [
        'FS.CREATE forgets algorithm qht memory 16KiB expect-distinct 100000 witness 32KiB',
        'FS.CREATE window algorithm pocketwindow window 1d memory 64KiB',
        'FS.CREATE exact algorithm exact memory 8KiB witness 32KiB',
        'BF.RESERVE filter 0.01 10',
        'BF.RESERVE full 0.01 1 NONSCALING',
        'BF.ADD full a',
        'FS.CREATE claims claims memory 64KiB',
        'FS.OBSERVE forgets a b a',
        'FS.OBSERVE exact a b a',
        'FS.CLAIM claims a',
        'FS.SAVE',
      ];
      for (const command of commands) expect(await client.send(...command.split(' '))).not.toBeInstanceOf(Error);
      const refused = await ask(port, 'POST', '/detectors/full/observe', { type: 'text/plain', body: 'b\n' });
      expect(refused.status).toBe(507);
      const { text } = await ask(port, 'GET', '/metrics');
      // The second time, the first request was counted.
      const again = (await ask(port, 'GET', '/metrics')).text;
      expect(again.length).toBeGreaterThan(text.length);
      told = seriesIn(again);
      client.close();
    },
    { data: dataIn(folder, { durability: 'always' }) },
  );
  return told;
}

const SOURCE = 'source';
const CUT = 'cut';

/** A worker with a window in time and with both halves. The topic of the containers is not the one that it reads, so that both are simple. */
export async function toldByWorker(folder: string): Promise<Series[]> {
  const cluster = new FakeCluster();
  makeTopics(cluster);
  cluster.make(SOURCE, 2);
  cluster.make(CUT, 3);
  for (let i = 0; i < 12; i++) {
    const record = content(null, JSON.stringify({ id: i % 4 }), Date.now());
    cluster.append(topics.input, i % 3, record);
    cluster.append(SOURCE, i % 2, record);
  }
  const detector = { algorithm: 'apbf', window: '10m', fpr: 0.001, memory: '16KiB', keys: ['id'] } as const;
  const settings = settingsFor({ folder, topics: { ...topics, source: SOURCE }, detector });
  const { keys } = settings;
  const cutters = new FakeCluster(cluster);
  const worker = newWorker(cluster, { settings }, []);
  const repartitioner = new Repartitioner({
    client: new FakeClient(cutters, 'cutter'),
    settings: {
      ...{ group: 'group-repartition', source: SOURCE, topic: CUT, partitions: 3, pointers: topics.pointers },
      ...{ note: { group: 'group', scheme: schemeOfCut(keys) }, keys, from: 'earliest', maxRecords: 25 },
    },
    onWarning: () => undefined,
  });
  const isIdle = new Promise<void>((resolve) => {
    cluster.onIdle = () => isDone(cluster) && isDone(cutters, SOURCE) && resolve();
  });
  const stop = new AbortController();
  const ended = runTogether([worker, repartitioner], stop.signal);
  await isIdle;
  const client = new FakeClient(cluster, 'monitor');
  const nothing = { current: undefined, waiting: undefined };
  const holdups = { worker: nothing, repartition: nothing };
  const watched = { worker, repartitioner, client, settings, holdups, version: '1.2.3' };
  const { port, close } = await serveHealth({ host: '127.0.0.1', port: 0 }, client, () => watched);
  try {
    return seriesIn(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text());
  } finally {
    close();
    stop.abort();
    await ended;
  }
}
