// Brokers that ask for a user or a certificate, and for rights, and what workers need for them.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Authority } from './certificates.mjs';

/** Users by how they prove themselves. That of a certificate is its subject. */
export const users = { scram: 'worker', plain: 'plainworker', certificate: 'CN=certworker' };
const PASSWORD = 'a-Password=with+signs';

const SASL = 'listener.name.sasl_ssl';
const LOGIN = 'org.apache.kafka.common.security';
/** A broker that looks so seldom ends no transaction by itself while a test runs. */
const HOUR_MILLISECONDS = 3_600_000;

/** Settings of a broker. Who connects without security, as the tests' own tool does, may do everything. */
function settingsOf(authority, server) {
  return {
    'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
    'super.users': 'User:ANONYMOUS',
    'ssl.keystore.type': 'PEM',
    'ssl.keystore.location': server.both,
    'ssl.truststore.type': 'PEM',
    'ssl.truststore.location': authority.path,
    'listener.name.ssl.ssl.client.auth': 'required',
    'transaction.abort.timed.out.transaction.cleanup.interval.ms': HOUR_MILLISECONDS,
    'sasl.enabled.mechanisms': 'SCRAM-SHA-512,PLAIN',
    [`${SASL}.scram-sha-512.sasl.jaas.config`]: `${LOGIN}.scram.ScramLoginModule required;`,
    [`${SASL}.plain.sasl.jaas.config`]: `${LOGIN}.plain.PlainLoginModule required user_${users.plain}="${PASSWORD}";`,
  };
}

/**
 * Makes certificates and a password.
 * @returns `options` of `Cluster.start`; `flags` of workers by how they prove themselves, and of those that do it wrongly; `password`;
 * `remove`, which removes the files
 */
export function makeSecurity() {
  const folder = mkdtempSync(join(tmpdir(), 'firstseen-kafka-secured-'));
  const [authority, other] = ['authority', 'other'].map((name) => new Authority(folder, name));
  const server = authority.sign('broker', 'IP:127.0.0.1');
  const client = authority.sign('certworker');
  const fileOf = (name, text) => {
    const path = join(folder, name);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  };
  // An editor ends the line.
  const [right, wrong] = [fileOf('password', `${PASSWORD}\n`), fileOf('wrong', 'another\n')];
  const trust = ['--tls-ca', authority.path];
  const login = (user, file) => ['--sasl-user', user, '--sasl-password-file', file];
  return {
    options: {
      settings: settingsOf(authority, server),
      listeners: ['SASL_SSL', 'SSL'],
      formatFlags: ['--add-scram', `SCRAM-SHA-512=[name=${users.scram},password=${PASSWORD}]`],
    },
    flags: {
      scram: [...trust, ...login(users.scram, right)],
      plain: [...trust, ...login(users.plain, right), '--sasl-mechanism', 'PLAIN'],
      certificate: [...trust, '--tls-cert', client.cert, '--tls-key', client.key],
      noCertificate: trust,
      wrongPassword: [...trust, ...login(users.scram, wrong)],
      otherMechanism: [...trust, ...login(users.scram, right), '--sasl-mechanism', 'SCRAM-SHA-256'],
      otherAuthority: ['--tls-ca', other.path, ...login(users.scram, right)],
    },
    password: PASSWORD,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** The rights that a worker of a run needs. */
export function rightsOf({ input, output, pointers, group }) {
  const topic = (name, operation) => ({ type: 'TOPIC', name, operation });
  return [
    topic(input, 'READ'),
    topic(output, 'WRITE'),
    ...['READ', 'WRITE', 'CREATE'].map((operation) => topic(pointers, operation)),
    ...rightsOfGroup(group),
  ];
}

/** The rights that it needs to cut its input into the topic that it reads then. */
export function rightsOfCut({ input, output, pointers, group, cut }) {
  return [
    { type: 'TOPIC', name: input, operation: 'READ' },
    { type: 'TOPIC', name: cut, operation: 'WRITE' },
    ...rightsOfGroup(`${group}-repartition`),
    ...rightsOf({ input: cut, output, pointers, group }),
  ];
}

function rightsOfGroup(group) {
  return [
    { type: 'GROUP', name: group, operation: 'READ' },
    { type: 'TRANSACTIONAL_ID', name: `${group}/`, operation: 'WRITE', pattern: 'PREFIXED' },
  ];
}
