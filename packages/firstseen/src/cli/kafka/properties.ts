// The properties of the client of Kafka, from the options.

import { FirstseenError, optionName, phrase } from '../../base/errors.js';
import { readNamedFile } from '../../io/system/namedfile.js';
import { propertiesIn, securityProperties } from '../../kafka/properties.js';
import * as rows from '../../options/kafka.js';
import type { OptionRow } from '../../options/row.js';
import type { Settings } from '../../options/settings.js';

type OnWarning = (message: string) => void;

/** @throws FirstseenError E_USAGE for an option without the one that it needs */
function checkNeeded(settings: Settings, row: OptionRow, other: OptionRow): void {
  if (settings.values[row.name] === undefined || settings.values[other.name] !== undefined) return;
  throw new FirstseenError('E_USAGE', phrase`${optionName(row.name)} requires ${optionName(other.name)}`, {
    option: row.name,
    remedy: phrase`give ${optionName(other.name)}, or leave ${optionName(row.name)} out`,
  });
}

async function passwordOf(settings: Settings, onWarning: OnWarning): Promise<string> {
  const given = settings.values[rows.saslPassword.name] as string | { secret: string };
  if (typeof given === 'object') return given.secret;
  const content = await readNamedFile(given, settings.originOf(rows.saslPassword), onWarning);
  return content.toString().replace(/\r?\n$/, '');
}

/** The path of a file that librdkafka reads itself, once it is known that it can be read. */
async function pathOf(settings: Settings, row: OptionRow, onWarning?: OnWarning): Promise<string | undefined> {
  const path = settings.values[row.name] as string | undefined;
  if (path !== undefined) await readNamedFile(path, settings.originOf(row), onWarning);
  return path;
}

/** @throws FirstseenError E_USAGE for a property that cannot be given; E_INPUT for a file that cannot be read */
export async function clientProperties(settings: Settings, onWarning: OnWarning): Promise<Record<string, string>> {
  const { values } = settings;
  const pairs = [
    [rows.clientCert, rows.clientKey],
    [rows.clientKey, rows.clientCert],
    [rows.saslUser, rows.saslPassword],
    [rows.saslPassword, rows.saslUser],
    [rows.saslMechanism, rows.saslUser],
  ] as const;
  for (const [row, other] of pairs) checkNeeded(settings, row, other);
  const [caPath, certPath, keyPath] = [
    await pathOf(settings, rows.brokerCa),
    await pathOf(settings, rows.clientCert),
    await pathOf(settings, rows.clientKey, onWarning),
  ];
  const user = values[rows.saslUser.name] as string | undefined;
  const mechanism = (values[rows.saslMechanism.name] as string | undefined) ?? rows.saslMechanism.default;
  const isEncrypted = values[rows.isEncrypted.name] === true || caPath !== undefined || certPath !== undefined;
  return {
    'bootstrap.servers': values[rows.brokers.name] as string,
    'client.id': 'firstseen',
    ...securityProperties({
      ...{ isEncrypted, caPath, certPath, keyPath },
      sasl: user === undefined ? undefined : { mechanism, user, password: await passwordOf(settings, onWarning) },
    }),
    ...propertiesIn((values[rows.property.name] as string[] | undefined) ?? []),
  };
}
