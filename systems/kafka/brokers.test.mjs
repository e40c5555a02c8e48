// Three brokers of which some are killed under load: workers lose and repeat nothing.

import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { tell } from '../../tools/report.mjs';
import { randomOf } from '../support/random.mjs';
import { expectNone } from './support/expecting.mjs';
import { asked, skips } from './support/options.mjs';
import { withRun } from './support/running.mjs';
import { startedFor } from './support/started.mjs';

/** Longer than the session of a broker, so that others take over what it had. */
const AWAY_MILLISECONDS = 8000;
const BACK_MILLISECONDS = 4000;
const MAX_WAIT_MILLISECONDS = 1000;

/** How often the worker ended, and why. */
function endsText(ends) {
  if (ends.length === 0) return 'the worker went on';
  const times = ends.length === 1 ? 'once' : `${ends.length} times`;
  const reasons = ends.map((line) => line.replace(/^firstseen: /, '').split(';')[0]);
  return `the worker was started again ${times} (${reasons.join('; ')})`;
}

describe('a worker with three brokers', { skip: skips.inFull }, () => {
  const started = startedFor({ count: 3 });

  /** The node that has a role. */
  async function nodeOf(run, role) {
    const roles = await started.cluster.tool.roles({ topic: run.input, group: run.group });
    const [, id] = roles.find(([name, , transaction]) => name === role && (transaction?.includes(run.group) ?? true));
    return started.cluster.node(Number(id));
  }

  /** The nodes that are killed, by what they are. */
  const kinds = {
    'the leader of a partition': async (run) => [await nodeOf(run, 'leader')],
    'the coordinator of the group': async (run) => [await nodeOf(run, 'group')],
    'the coordinator of the transactions': async (run) => [await nodeOf(run, 'transactions')],
    'the controller': async (run) => [await nodeOf(run, 'controller')],
    'two of three brokers': () => started.cluster.nodes.slice(1),
  };

  for (const [kind, nodesOf] of Object.entries(kinds)) {
    test(`loses and repeats nothing when ${kind} is killed ${asked.brokerKills} times`, () =>
      withRun({ ...started, isSupervised: true }, async (run) => {
        const random = randomOf(asked.seed);
        run.start();
        for (let i = 0; i < asked.brokerKills; i++) {
          await run.supervisedWorks();
          await sleep(random() * MAX_WAIT_MILLISECONDS);
          const nodes = await nodesOf(run);
          await Promise.all(nodes.map((node) => node.kill()));
          await sleep(AWAY_MILLISECONDS);
          for (const node of nodes) node.start();
          await Promise.all(nodes.map((node) => node.answers()));
          await sleep(BACK_MILLISECONDS);
        }
        const { differences, read } = await run.finish();
        tell(`kills of ${kind}`, `${asked.brokerKills} times: ${endsText(run.ends)}; ${read} records compared`);
        expectNone(differences);
      }));
  }
});
