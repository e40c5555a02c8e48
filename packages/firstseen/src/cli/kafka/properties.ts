// The properties of librdkafka, from the options: those that a user gives, and those of security.

import { FirstseenError, optionName, phrase } from '../../base/errors.js';
import { readNamedFile } from '../../io/system/namedfile.js';
import type { Secret, ValuesOf } from '../../options/filled.js';
import * as rows from '../../options/kafka.js';
import type { Settings } from '../../options/settings.js';

/** Properties that the guarantee needs, or that have an option, with that option. */
const decidedProperties: ReadonlyMap<string, string | undefined> = new Map([
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
  const properties: Record<string, string> = {};
  for (const text of texts) {
    const [, name, value] = /^([a-z][a-z0-9._]*)=(.*)$/s.exec(text) ?? [];
    if (name === undefined || value === undefined) {
      // What follows may be a password.
      const propertyName = /^[\w.]*/.exec(text)?.[0] ?? '';
      throw new FirstseenError(
        'E_USAGE',
        phrase`${optionName('config')} ${propertyName} does not have the form property=value`,
        {
          ...{ option: 'config', given: propertyName },
          remedy: 'give a property and its value, such as fetch.min.bytes=100000',
        },
      );
    }
    if (decidedProperties.has(name) || name.endsWith('_cb')) throw refused(name, decidedProperties.get(name));
    properties[name] = value;
  }
  return properties;
}

type FileRow = typeof rows.tlsCa | typeof rows.tlsCert | typeof rows.tlsKey;

interface BrokerSecurity extends ValuesOf<FileRow> {
  isEncrypted: boolean;
  sasl?: { mechanism: string; user: string; password: string } | undefined;
}

/** The properties of security. */
export function securityProperties(security: BrokerSecurity): Record<string, string> {
  const { isEncrypted, tlsCa, tlsCert, tlsKey, sasl } = security;
  const protocol = `${sasl ? 'sasl_' : ''}${isEncrypted ? 'ssl' : 'plaintext'}`;
  const properties = Object.entries({
    'ssl.ca.location': tlsCa,
    'ssl.certificate.location': tlsCert,
    'ssl.key.location': tlsKey,
    'sasl.mechanism': sasl?.mechanism,
    'sasl.username': sasl?.user,
    'sasl.password': sasl?.password,
  }).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return { 'security.protocol': protocol, ...Object.fromEntries(properties) };
}

type OnWarning = (message: string) => void;

async function passwordOf(settings: Settings, onWarning: OnWarning): Promise<string> {
  const password = settings.givenOf(rows.saslPasswordFile) as string | Secret;
  if (typeof password === 'object') return password.secret;
  const content = await readNamedFile(password, settings.originOf(rows.saslPasswordFile), onWarning);
  return content.toString().replace(/\r?\n$/, '');
}

/** The path of a file that librdkafka reads itself, once it is known that it can be read. */
async function pathOf(settings: Settings, row: FileRow, onWarning?: OnWarning): Promise<string | undefined> {
  const path = settings.givenOf(row);
  if (path !== undefined) await readNamedFile(path, settings.originOf(row), onWarning);
  return path;
}

/** @throws FirstseenError E_USAGE for a property that cannot be given; E_INPUT for a file that cannot be read */
export async function clientProperties(settings: Settings, onWarning: OnWarning): Promise<Record<string, string>> {
  const tlsCa = await pathOf(settings, rows.tlsCa);
  const tlsCert = await pathOf(settings, rows.tlsCert);
  const tlsKey = await pathOf(settings, rows.tlsKey, onWarning);
  const { brokers, isEncrypted, saslUser, saslMechanism, config = [] } = settings.valuesOf(rows.kafkaRows);
  return {
    'bootstrap.servers': brokers,
    'client.id': 'firstseen',
    ...securityProperties({
      ...{ tlsCa, tlsCert, tlsKey },
      isEncrypted: isEncrypted === true || tlsCa !== undefined || tlsCert !== undefined,
      sasl:
        saslUser === undefined
          ? undefined
          : { mechanism: saslMechanism, user: saslUser, password: await passwordOf(settings, onWarning) },
    }),
    ...propertiesIn(config),
  };
}
