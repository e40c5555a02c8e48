// Bytes of a compressed output are divided into members that do not depend on how they arrive.

import { expect, test } from 'vitest';
import { EqualMembers, MEMBER_BYTES, type Members, RecordMembers } from '../../../../src/io/file/members.js';
import { randomFrom } from '../../../support/random.js';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Adds bytes as an output does, and gives what was compressed together, with a line after each member. */
async function dividedBy(members: Members, writes: readonly { bytes: Uint8Array; ends: readonly number[] }[]) {
  const found: string[] = [];
  const take = async () => {
    if (members.isEmpty) return;
    await members.take(async (piece) => {
      found.push(decoder.decode(piece));
      return piece;
    });
  };
  for (const { bytes, ends } of writes) {
    let at = 0;
    do {
      at = members.add(bytes, ends, at);
      if (members.isFull) await take();
    } while (at < bytes.length);
  }
  await take();
  return found;
}

/** The records in writes of random lengths. */
function writesOf(records: readonly string[], seed: number) {
  const random = randomFrom(seed);
  const all = encoder.encode(records.join(''));
  let sum = 0;
  const ends = records.map((record) => (sum += encoder.encode(record).length));
  const writes: { bytes: Uint8Array; ends: number[] }[] = [];
  for (let from = 0; from < all.length; ) {
    const to = Math.min(all.length, from + Math.floor(random() * 3 * (all.length / records.length)));
    // The end of a record may be told with its last byte, or before the first byte of the next one.
    const isLate = random() < 0.5;
    const within = (end: number) => (isLate ? end >= from && end < to : end > from && end <= to);
    writes.push({ bytes: all.slice(from, to), ends: ends.filter(within).map((end) => end - from) });
    if (isLate) writes.push({ bytes: all.slice(0, 0), ends: ends.includes(to) ? [0] : [] });
    from = to;
  }
  return writes;
}

test('each record is a member, however it arrives', async () => {
  for (let seed = 1; seed < 40; seed++) {
    const random = randomFrom(seed);
    const records = Array.from(
      { length: 60 },
      (_, i) => `${i}${'é'.repeat(1 + Math.floor(random() ** 6 * MEMBER_BYTES))}`,
    );
    expect(await dividedBy(new RecordMembers(new Uint8Array()), writesOf(records, seed))).toEqual(records);
  }
});

test('a record that ended long ago does not make an empty member', async () => {
  const none = { bytes: new Uint8Array(), ends: [0] };
  expect(await dividedBy(new RecordMembers(new Uint8Array()), [none, none])).toEqual([]);
  const once = { bytes: encoder.encode('ab'), ends: [1, 1, 2] };
  expect(await dividedBy(new RecordMembers(new Uint8Array()), [once, none])).toEqual(['a', 'b']);
});

test('members of equal length take what an earlier run left', async () => {
  const text = 'abcdefg'.repeat(MEMBER_BYTES / 4);
  const whole = await dividedBy(new EqualMembers(new Uint8Array()), [{ bytes: encoder.encode(text), ends: [] }]);
  expect(whole.map(({ length }) => length)).toEqual([MEMBER_BYTES, (7 / 4 - 1) * MEMBER_BYTES]);
  const rest = encoder.encode(text.slice(5));
  const resumed = await dividedBy(new EqualMembers(encoder.encode(text.slice(0, 5))), [{ bytes: rest, ends: [] }]);
  expect(resumed).toEqual(whole);
});
