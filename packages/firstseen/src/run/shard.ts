// A shard of a stream: the records that one of several runs takes, by the hash of their keys.

import { invalidOption } from '../base/errors.js';

export interface Shard {
  /** From 0 on. The first shard also takes the records without a key. */
  index: number;
  count: number;
}

const MAX_SHARDS = 65536;

/**
 * A shard as people write it: `1/4` is the first of four.
 * @throws FirstseenError E_USAGE otherwise.
 */
export function parseShard(text: string): Shard {
  const [, first, second] = /^(\d{1,5})\/(\d{1,5})$/.exec(text) ?? [];
  const [number, count] = [Number(first), Number(second)];
  if (number >= 1 && number <= count && count <= MAX_SHARDS) return { index: number - 1, count };
  const expected = `a shard and the number of shards, such as 1/4, from 1/1 to ${MAX_SHARDS}/${MAX_SHARDS}`;
  throw invalidOption({ code: 'E_USAGE', option: 'shard', given: text, expected });
}
