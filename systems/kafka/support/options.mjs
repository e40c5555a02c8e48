// What is asked of the tests, and what they need.

import { compileJava, fetchClient, fetchKafka } from '../../../tools/support/kafka/fetch.mjs';

const { KAFKA_QUICK, KAFKA_SEED, KAFKA_FAILURES } = process.env;

const quick = { kills: 2, pauses: 1, changes: 0, takeovers: 0, brokerKills: 0 };
const long = { kills: 20, pauses: 20, changes: 20, takeovers: 5, brokerKills: 5 };

export const isQuick = Boolean(KAFKA_QUICK);
/** The same number of failures of each kind, if it is given. */
const given = KAFKA_FAILURES ? Object.fromEntries(Object.keys(long).map((kind) => [kind, Number(KAFKA_FAILURES)])) : {};
export const asked = { ...(isQuick ? quick : long), ...given, seed: Number(KAFKA_SEED ?? 1) };

/** What the tests need, as `libs`, `classPath` and `client`, or why they are skipped, as `missing`. */
function fetchAll() {
  if (process.platform !== 'linux') return { missing: 'needs Linux' };
  const kafka = fetchKafka();
  if (kafka.missing) return kafka;
  const client = fetchClient();
  if (client.missing) return client;
  return { libs: kafka.libs, classPath: compileJava(kafka), client: client.folder };
}

export const needed = fetchAll();

/** Why the tests of every run, and those of a full run only, are skipped; false if they are not. */
export const skips = {
  always: needed.missing ?? false,
  inFull: needed.missing ?? (isQuick ? 'left out by --quick' : false),
};
