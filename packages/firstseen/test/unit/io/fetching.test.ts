// What a consumer fetches ahead.

import { expect, it } from 'vitest';
import { withFetching } from '../../../src/io/kafka/fetching.js';

it('bounds an answer of a broker over all partitions, because it is unpacked as a whole', () => {
  expect(withFetching({ 'bootstrap.servers': 'one' })).toEqual({
    'bootstrap.servers': 'one',
    'queued.min.messages': 10_000,
    'fetch.queue.backoff.ms': 10,
    'fetch.max.bytes': 2 ** 20,
  });
});

it('lets an answer hold the largest message that a user allows, which the client asks for', () => {
  expect(withFetching({ 'message.max.bytes': '2000000' })['fetch.max.bytes']).toBe(2_000_000);
  expect(withFetching({ 'message.max.bytes': '1000' })['fetch.max.bytes']).toBe(2 ** 20);
});

it('leaves to a user what is fetched ahead', () => {
  const properties = { 'fetch.max.bytes': '52428800', 'queued.min.messages': '1', 'fetch.queue.backoff.ms': '1000' };
  expect(withFetching(properties)).toEqual(properties);
});
