// The calls of a client that are watched.

import { expect, it } from 'vitest';
import { optionName, phrase } from '../../src/base/errors.js';
import { type KafkaClient, RecordRefused } from '../../src/io/kafka/contract.js';
import type { Holdups } from '../../src/kafka/watch/holdups.js';
import { watching } from '../../src/kafka/watch/watching.js';

it('says why a transaction was aborted with the flags of options', async () => {
  const problems: string[] = [];
  const holdups = {
    joined: () => undefined,
    during: (_reason: string, _doing: string, request: () => Promise<unknown>) => request(),
    aborted: (problem: string) => problems.push(problem),
  };
  const refusal = new RecordRefused('E_KAFKA', 'too large', {
    remedy: phrase`give ${optionName('config')} batch.size`,
  });
  const client = { join: async () => ({ commit: () => Promise.reject(refusal) }) };
  const member = await watching(client as unknown as KafkaClient, holdups as unknown as Holdups).join('in');
  await expect(member.commit(new Map())).rejects.toBe(refusal);
  expect(problems).toEqual(['too large; give --config batch.size']);
});
