// The properties of the client of Kafka, from the options.

import { readNamedFile } from '../../io/system/namedfile.js';
import { propertiesIn, securityProperties } from '../../kafka/properties.js';
import type { Secret } from '../../options/filled.js';
import * as rows from '../../options/kafka.js';
import type { Settings } from '../../options/settings.js';

type OnWarning = (message: string) => void;
type FileRow = typeof rows.tlsCa | typeof rows.tlsCert | typeof rows.tlsKey;

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
  const [caPath, certPath, keyPath] = [
    await pathOf(settings, rows.tlsCa),
    await pathOf(settings, rows.tlsCert),
    await pathOf(settings, rows.tlsKey, onWarning),
  ];
  const { brokers, isEncrypted, saslUser, saslMechanism, config = [] } = settings.valuesOf(rows.kafkaRows);
  return {
    'bootstrap.servers': brokers,
    'client.id': 'firstseen',
    ...securityProperties({
      ...{ caPath, certPath, keyPath },
      isEncrypted: isEncrypted === true || caPath !== undefined || certPath !== undefined,
      sasl:
        saslUser === undefined
          ? undefined
          : { mechanism: saslMechanism, user: saslUser, password: await passwordOf(settings, onWarning) },
    }),
    ...propertiesIn(config),
  };
}
