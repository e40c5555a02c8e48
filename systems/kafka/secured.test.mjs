// Brokers that ask for TLS, for a user or a certificate, and for rights: workers with exactly the rights that they need lose and repeat
// nothing, and what is missing is told.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { after, describe, test } from 'node:test';
import { has } from '../../tools/fetch.mjs';
import { tell } from '../../tools/report.mjs';
import { expectSame, refusalOf } from './support/expecting.mjs';
import { skips } from './support/options.mjs';
import { endlessLoad, withRun } from './support/running.mjs';
import { makeSecurity, rightsOf, rightsOfCut, users } from './support/secured.mjs';
import { startedFor } from './support/started.mjs';

const PARTITIONS = 3;
const skip = skips.inFull || (has('openssl', 'version') ? false : 'openssl is not installed');

describe('a worker of secured brokers', { skip }, () => {
  const security = skip ? undefined : makeSecurity();
  const started = startedFor(security?.options);
  after(() => security?.remove());

  /** A run whose workers prove themselves in a way. */
  const proving = ({ protocol = 'SASL_SSL', ...options }, work) =>
    withRun({ ...started, brokers: started.cluster.brokersOf(protocol), ...options }, work);

  async function allow(user, rights) {
    for (const right of rights) await started.cluster.tool.allow(user, right);
  }

  /** What a worker says that is refused. */
  async function refusalOfNew(run, options) {
    const worker = run.start('refused', options);
    try {
      const output = await refusalOf(worker);
      assert.ok(!output.includes(security.password));
      return output;
    } finally {
      await run.kill(worker);
    }
  }

  test('with a user and only the rights that it needs, it is killed and started again, and then another one goes on', () =>
    proving({ flags: security.flags.scram }, async (run) => {
      await allow(users.scram, rightsOf(run));
      const killed = run.start('a');
      await run.works(killed);
      await run.kill(killed);
      const [one, two] = [run.start('a'), run.start('b')];
      await run.shared();
      await run.awaitTransaction('a', ['Ongoing']);
      await run.kill(one);
      await run.shared();
      const { stdout } = spawnSync('ps', ['-ww', '-o', 'args', '-p', String(two.child.pid)], { encoding: 'utf8' });
      for (const shown of [stdout, two.output]) assert.ok(!shown.includes(security.password));
      assert.doesNotMatch(two.output, /leaves transactions of workers that may be gone to the brokers/);
      await expectSame('a worker with a user and the least rights', run);
    }));

  test('with a certificate and only the rights that it needs, it cuts its input, and is killed', () =>
    proving(
      {
        protocol: 'SSL',
        flags: security.flags.certificate,
        repartition: PARTITIONS,
        load: { ...endlessLoad, scattered: 1 },
      },
      async (run) => {
        await allow(users.certificate, rightsOfCut(run));
        const killed = run.start();
        await run.works(killed);
        await run.kill(killed);
        await run.works(run.start());
        await expectSame('a worker with a certificate and the least rights, that repartitions', run);
      },
    ));

  test('it names the right that it lacks', () =>
    proving({ flags: security.flags.scram }, async (run) => {
      const { tool } = started.cluster;
      const [input, output, readPointers, writePointers, createPointers, group, transactions] = rightsOf(run);
      const without = async (right, pattern, instead) => {
        await tool.forbid(users.scram, right);
        if (instead) await tool.allow(users.scram, instead);
        assert.match(await refusalOfNew(run), pattern);
        if (instead) await tool.forbid(users.scram, instead);
        await tool.allow(users.scram, right);
      };
      await allow(users.scram, rightsOf(run));
      await without(createPointers, /pointers cannot be made: .*allow the user CREATE on it/);
      const worker = run.start();
      await run.works(worker);
      await run.stop(worker);
      const seen = (right) => ({ ...right, operation: 'DESCRIBE' });
      const cases = [
        [input, /the topic events-\d+ does not exist, or the user may not see it: .*allow the user READ on topics/],
        [input, /the topic events-\d+ cannot be read by the group .*allow the user READ on topics/, seen(input)],
        [output, /the topic events-\d+\.first does not exist, or the user may not see it: .*WRITE on topics/],
        [output, /cannot write to .*events-\d+\.first.*WRITE on topics/, seen(output)],
        [writePointers, /pointers cannot be written: .*WRITE on topics/],
        [readPointers, /pointers cannot be read: .*allow the user READ on topics/],
        [group, /cannot be read by the group .*Group authorization failed; allow the user READ on the group/],
        [transactions, /the transactions of .*allow the user WRITE on the transactional ids/],
      ];
      for (const found of cases) await without(...found);
      await run.works(run.start());
      await expectSame(`a worker that lacked a right ${cases.length + 1} times`, run);
    }));

  test('it says what is wrong with its user, its certificate or its authority', () =>
    proving({ flags: [] }, async (run) => {
      const { cluster } = started;
      const address = cluster.brokersOf('SASL_SSL');
      const cases = [
        // Who is known has no rights.
        ['plain', address, /the user may not see it/],
        ['wrongPassword', address, /check --sasl-user, the password in the file of --sasl-password-file/],
        ['otherMechanism', address, /give a mechanism of the brokers as --sasl-mechanism/],
        [
          'otherAuthority',
          address,
          /certificate verify failed.* as --tls-ca, and addresses that are in these certificates/,
        ],
        ['scram', address.replace('127.0.0.1', 'localhost'), /certificate verify failed/],
        ['scram', cluster.brokers, /leave out the options of TLS/],
        [
          'noCertificate',
          cluster.brokersOf('SSL'),
          /a certificate that the brokers accept, and its key, as --tls-cert/,
        ],
      ];
      for (const [name, brokers, pattern] of cases) {
        assert.match(await refusalOfNew(run, { brokers, more: security.flags[name] }), pattern);
      }
      tell('wrong users, certificates and authorities', `${cases.length} refused`);
    }));
});
