// What a worker says of brokers that it cannot use: the cause is in what the client logs, and a user or certificate that is refused is not
// waited for.

import { expect, it } from 'vitest';
import { FirstseenError } from '../../../src/base/errors.js';
import { Connection } from '../../../src/io/kafka/connecting.js';
import { isUnanswered } from '../../../src/io/kafka/errors.js';
import type { RdClient } from '../../../src/io/kafka/rdkafka.js';

const ADDRESS = 'sasl_ssl://broker:9093/bootstrap';

/** A client that logs a reason at each attempt, and fails until an attempt is the last that fails. */
function clientWith(reason: string | undefined, failures: number, code = -195, message = 'broker transport failure') {
  const listeners = new Map<string, (value: unknown) => void>();
  const timeouts: number[] = [];
  const client = {
    on: (event: string, listener: (value: never) => void) => {
      listeners.set(event, listener as (value: unknown) => void);
    },
    connect: ({ timeout }: { timeout: number }, callback: (error: Error | null, value: undefined) => void) => {
      timeouts.push(timeout);
      const time = '(after 334ms in state AUTH_REQ, 1 identical error(s) suppressed)';
      if (reason)
        listeners.get('event.log')?.({ fac: 'FAIL', message: `[thrd:${ADDRESS}]: ${ADDRESS}: ${reason} ${time}` });
      listeners.get('event.log')?.({ fac: 'CONFWARN', message: '[thrd:app]: another line' });
      listeners.get('event.error')?.(new Error('all broker connections are down'));
      const failure = Object.assign(new Error(message), { code });
      const error = timeouts.length <= failures ? failure : null;
      callback(error, undefined);
    },
  } as Pick<RdClient, 'connect' | 'on'>;
  return { client, timeouts, fail: (message: string) => listeners.get('event.error')?.(new Error(message)) };
}

async function refusalFor(reason: string) {
  const told: string[] = [];
  const { client, timeouts } = clientWith(reason, 6);
  const error = await new Connection(client, (message) => told.push(message)).connect().catch((cause) => cause);
  expect(error).toBeInstanceOf(FirstseenError);
  expect(error).toMatchObject({ code: 'E_KAFKA' });
  return { message: (error as FirstseenError).message, attempts: timeouts.length, told };
}

it.each([
  ['SASL authentication error: invalid credentials with SASL mechanism PLAIN', /check saslUser, the password/],
  ['SASL PLAIN mechanism handshake failed: Broker: Unsupported SASL mechanism', /mechanism of the brokers/],
  ['SSL handshake failed: error:0A000086:SSL routines::certificate verify failed: more', /tlsCa, and addresses/],
  ['Receive failed: error:0A000412:SSL routines::sslv3 alert bad certificate', /as tlsCert and tlsKey/],
  ['SSL handshake failed: Disconnected: connecting to a PLAINTEXT broker listener?', /leave out the options of TLS/],
])('ends at once when the brokers refuse: %s', async (reason, remedy) => {
  const { message, attempts, told } = await refusalFor(reason);
  expect(message).toContain(`the brokers cannot be used: ${ADDRESS}: ${reason}; `);
  expect(message).toMatch(remedy);
  expect(message).not.toContain('after 334ms');
  expect({ attempts, told }).toEqual({ attempts: 1, told: [] });
});

it.each([
  ['Disconnected: connection closed by peer: receive 0 after POLLIN', /needs isEncrypted, or saslUser/],
  ['Connect to ipv4#127.0.0.1:1 failed: Connection refused', /check brokers/],
])('waits for brokers that do not answer, and says why: %s', async (reason, remedy) => {
  const { message, attempts, told } = await refusalFor(reason);
  expect(message).toContain(`no broker answers: ${ADDRESS}: ${reason}; `);
  expect(message).toMatch(remedy);
  expect({ attempts, told }).toEqual({ attempts: 6, told: [`no broker answers yet: ${ADDRESS}: ${reason}`] });
});

it('does not claim that there is a newer worker where a topic may be gone', async () => {
  const { client, fail } = clientWith(undefined, 0);
  const told: string[] = [];
  await new Connection(client, (text) => told.push(text)).connect();
  fail('This instance has been fenced by a newer instance');
  expect(told).toEqual([
    'Kafka: the brokers refuse this producer from now on, because a topic was removed, brokers have changed, or another worker has its name',
  ]);
});

it('does not call a broker old that hangs', async () => {
  const guess =
    'ApiVersionRequest failed: Local: Timed out: probably due to broker version < 0.10 (see api.version.request configuration)';
  const { message, told } = await refusalFor(guess);
  expect(message).toMatch(
    /the broker takes connections, and does not answer the first request: Local: Timed out; check/,
  );
  expect([message, ...told].join()).not.toContain('version');
  const later: string[] = [];
  const { client, fail } = clientWith(undefined, 0);
  await new Connection(client, (text) => later.push(text)).connect();
  fail(`broker:9093/1: ${guess} (after 10s in state APIVERSION_QUERY)`);
  expect(later).toEqual([
    'Kafka: broker:9093/1: the broker takes connections, and does not answer the first request: Local: Timed out',
  ]);
});

it('does not wait for brokers when a file is wrong, or say that they do not answer', async () => {
  const { client, timeouts } = clientWith(undefined, 2, -1);
  const error = await new Connection(client, () => undefined).connect().catch((cause: unknown) => cause);
  expect(String(error)).toMatch(
    /the client of Kafka cannot begin: broker transport failure; check that the files of tlsCa/,
  );
  expect(timeouts).toEqual([5000]);
});

it('blames properties that contradict each other, in the words of the client', async () => {
  const said = '`max.poll.interval.ms`must be >= `session.timeout.ms`';
  const { client } = clientWith(undefined, 2, -1, said);
  const error = await new Connection(client, () => undefined).connect().catch((cause: unknown) => cause);
  expect((error as Error).message).toBe(
    `the client of Kafka cannot begin: ${said}; correct the properties that config gives`,
  );
});

it('connects to brokers that answer at the second attempt, and tells what goes wrong from then on', async () => {
  const told: string[] = [];
  const { client, timeouts, fail } = clientWith('Connection refused', 1);
  await new Connection(client, (message) => told.push(message)).connect();
  expect(timeouts).toEqual([5000, 5000]);
  fail('all broker connections are down');
  expect(told).toEqual([
    `no broker answers yet: ${ADDRESS}: Connection refused`,
    `Kafka: all broker connections are down: ${ADDRESS}: Connection refused`,
  ]);
});

it('ends its attempts when it is asked to stop, with an error of brokers that do not answer', async () => {
  const stop = new AbortController();
  const { client, timeouts } = clientWith('Connect to ipv4#127.0.0.1:1 failed: Connection refused', 6);
  const connect: RdClient['connect'] = (options, callback) => {
    if (timeouts.length > 0) stop.abort();
    client.connect(options, callback);
  };
  const stopping = new Connection({ ...client, connect }, () => undefined);
  const error = await stopping.connect(stop.signal).catch((cause: unknown) => cause);
  expect(timeouts).toEqual([5000, 5000]);
  expect(isUnanswered(error)).toBe(true);
  const later = await new Connection(client, () => undefined).connect(stop.signal).catch((cause: unknown) => cause);
  expect(isUnanswered(later)).toBe(true);
  expect(timeouts).toHaveLength(2);
  expect(isUnanswered(new FirstseenError('E_KAFKA', 'a topic does not take what is written'))).toBe(false);
});
