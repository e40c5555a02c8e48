// What the tests of a suite run on: brokers, and a copy of the package.

import { after, before } from 'node:test';
import { Cluster } from '../../../tools/support/kafka/broker.mjs';
import { copyPackage } from '../../../tools/support/kafka/program.mjs';
import { needed } from './options.mjs';

/**
 * Starts brokers before the tests of a suite, and stops them after the tests.
 * @returns an object that has `cluster` and `main`, the path of the command, while the tests run
 */
export function startedFor(options) {
  const started = {};
  let program;
  before(async () => {
    started.cluster = await Cluster.start({ ...needed, ...options });
    program = copyPackage(needed);
    started.main = program.main;
  });
  after(async () => {
    program?.remove();
    await started.cluster?.stop();
  });
  return started;
}
