// The properties of librdkafka: those that a user gives, and those of security.

import { FirstseenError, optionName, phrase } from '../base/errors.js';

/** Properties that the guarantee needs, or that have an option, with that option. */
const own: ReadonlyMap<string, string | undefined> = new Map([
  ['bootstrap.servers', 'brokers'],
  ['metadata.broker.list', 'brokers'],
  ['group.id', 'group'],
  ['group.instance.id', 'instance'],
  ['ssl.ca.location', 'tlsCa'],
  ['ssl.certificate.location', 'tlsCert'],
  ['ssl.key.location', 'tlsKey'],
  ['sasl.password', 'saslPasswordFile'],
  ...[
    ...['transactional.id', 'transaction.timeout.ms', 'enable.idempotence', 'acks', 'request.required.acks'],
    ...['max.in.flight', 'max.in.flight.requests.per.connection', 'enable.gapless.guarantee', 'retries'],
    ...['message.send.max.retries', 'isolation.level', 'enable.auto.commit', 'enable.auto.offset.store'],
    ...['auto.commit.enable', 'auto.offset.reset', 'offset.store.method', 'enable.partition.eof'],
    ...['partition.assignment.strategy', 'group.protocol', 'group.remote.assignor', 'allow.auto.create.topics'],
    ...['test.mock.num.brokers', 'test.mock.broker.rtt', 'log.queue'],
    // A message that is given up, or a topic that is passed over, ends the worker again and again.
    ...['message.timeout.ms', 'delivery.timeout.ms', 'topic.blacklist', 'group.protocol.type', 'queuing.strategy'],
    // The worker learns from the log that its name is taken, and from metadata that its input was given partitions.
    ...['log_level', 'enabled_events', 'topic.metadata.refresh.interval.ms'],
  ].map((name) => [name, undefined] as const),
]);

function refused(name: string, option: string | undefined): FirstseenError {
  const remedy = option === undefined ? 'leave it out' : phrase`leave it out, and give ${optionName(option)} for it`;
  const problem = phrase`${optionName('config')} sets ${name}, which the guarantee or another option determines`;
  return new FirstseenError('E_USAGE', problem, { option: 'config', given: name, remedy });
}

/**
 * The properties in texts such as `linger.ms=5`.
 * @throws FirstseenError E_USAGE for a text that is not one, and a property that cannot be given
 */
export function propertiesIn(texts: readonly string[]): Record<string, string> {
  const found: Record<string, string> = {};
  for (const text of texts) {
    const [, name, value] = /^([a-z][a-z0-9._]*)=(.*)$/s.exec(text) ?? [];
    if (name === undefined || value === undefined) {
      // What follows may be a password.
      const given = /^[\w.]*/.exec(text)?.[0] ?? '';
      throw new FirstseenError(
        'E_USAGE',
        phrase`${optionName('config')} ${given} does not have the form property=value`,
        {
          ...{ option: 'config', given },
          remedy: 'give a property and its value, such as fetch.min.bytes=100000',
        },
      );
    }
    if (own.has(name) || name.endsWith('_cb')) throw refused(name, own.get(name));
    found[name] = value;
  }
  return found;
}

export interface BrokerSecurity {
  isEncrypted: boolean;
  caPath?: string | undefined;
  certPath?: string | undefined;
  keyPath?: string | undefined;
  sasl?: { mechanism: string; user: string; password: string } | undefined;
}

/** The properties of security. */
export function securityProperties({
  isEncrypted,
  caPath,
  certPath,
  keyPath,
  sasl,
}: BrokerSecurity): Record<string, string> {
  const protocol = `${sasl ? 'sasl_' : ''}${isEncrypted ? 'ssl' : 'plaintext'}`;
  const given = Object.entries({
    'ssl.ca.location': caPath,
    'ssl.certificate.location': certPath,
    'ssl.key.location': keyPath,
    'sasl.mechanism': sasl?.mechanism,
    'sasl.username': sasl?.user,
    'sasl.password': sasl?.password,
  }).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return { 'security.protocol': protocol, ...Object.fromEntries(given) };
}
