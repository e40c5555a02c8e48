// `node systems/kafka/broker.mjs [--brokers 3] [--topics events:4,events.first:4]`: starts brokers for people who try the command by hand, makes topics,
// and prints their address. Ctrl-C ends them and removes their folders.

import { once } from 'node:events';
import { readArguments } from '../../tools/arguments.mjs';
import { Cluster } from '../../tools/support/kafka/broker.mjs';
import { compileJava, fetchKafka } from '../../tools/support/kafka/fetch.mjs';

const { values } = readArguments({
  options: {
    brokers: { type: 'string', default: '1' },
    topics: { type: 'string', default: 'events:4,events.first:4' },
  },
});

const { libs, missing } = fetchKafka();
if (missing) throw new Error(missing);
const count = Number(values.brokers);
const cluster = await Cluster.start({ libs, classPath: compileJava({ libs }), count });
for (const topic of values.topics.split(',')) {
  const [name, partitions = '1'] = topic.split(':');
  await cluster.tool.create(name, { partitions, replicas: count });
}
console.log(`brokers: ${cluster.brokers}`);
console.log(`topics: ${values.topics}`);
await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
await cluster.stop();
