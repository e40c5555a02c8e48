// The time of a claim and its commit, beside what a detector alone takes for the key.

import { create, createClaims } from 'firstseen';
import { median } from '../tools/support/median.mjs';
import { takeTurns } from './lib/rounds.mjs';
import { row } from './lib/table.mjs';

/** The most microseconds of a claim and its commit. */
const TARGET_MICROSECONDS = 2.5;
/** Turns before the measured ones, in which the functions are compiled. */
const WARM_ROUNDS = 8;

const encoder = new TextEncoder();

/** Seconds of the processor that some work takes. Those of the clock also count what other programs do meanwhile. */
function processorSeconds(work) {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

/** Makes keys of 16 bytes that were not made before. */
function keyMaker() {
  let made = 0;
  return (count) =>
    Array.from({ length: count }, () => {
      made++;
      return encoder.encode(`request ${String(made).padStart(8, '0')}`);
    });
}

/** A contender that works on new keys in each turn. */
function contender(name, count, work) {
  const keysOf = keyMaker();
  const turn = () => {
    const keys = keysOf(count);
    return processorSeconds(() => work(keys));
  };
  return { name, turn };
}

/** Claims this number of keys, then commits them, and so on. */
function claimAndCommit(claims, keys, heldAtOnce) {
  for (let i = 0; i < keys.length; i += heldAtOnce) {
    const held = keys.slice(i, i + heldAtOnce).map((key) => claims.claim(key));
    for (const claim of held) claim.commit();
  }
}

/** The same by tokens, with one call for each batch. */
function claimAndCommitMany(claims, keys, heldAtOnce) {
  for (let i = 0; i < keys.length; i += heldAtOnce) {
    const some = keys.slice(i, i + heldAtOnce);
    const tokens = some.map((_, index) => `token ${index}`);
    const contexts = tokens.map((token) => ({ token }));
    claims.claimMany(some, contexts);
    claims.commitMany(some, tokens);
  }
}

/** @returns {Promise<import('./lib/table.mjs').Section>} */
export async function measureClaims({ isQuick }) {
  const { count, rounds } = isQuick ? { count: 2000, rounds: 3 } : { count: 20_000, rounds: 32 };
  const options = { algorithm: 'exactwindow', memory: '16MiB', window: '100000' };
  const [one, hundred, thousand, many, alone] = await Promise.all([1, 2, 3, 4, 5].map(() => create(options)));
  const tables = [one, hundred, thousand, many].map((detector) => createClaims(detector));
  const names = [
    'one at a time',
    '100 held at once',
    '1000 held at once',
    '100 at once, by tokens, claimMany and commitMany',
  ];
  const seconds = takeTurns(
    [
      contender(names[0], count, (keys) => claimAndCommit(tables[0], keys, 1)),
      contender(names[1], count, (keys) => claimAndCommit(tables[1], keys, 100)),
      contender(names[2], count, (keys) => claimAndCommit(tables[2], keys, 1000)),
      contender(names[3], count, (keys) => claimAndCommitMany(tables[3], keys, 100)),
      contender('alone', count, (keys) => {
        for (const key of keys) {
          alone.test(key);
          alone.observe(key);
        }
      }),
    ],
    WARM_ROUNDS + rounds,
  );
  const microseconds = (name) => (median(seconds[name].slice(WARM_ROUNDS)) / count) * 1e6;
  return {
    title: 'Claims',
    text:
      `A claim of a new key of 16 bytes and its commit, in an \`exactwindow\` of 16 MiB; beside it, \`test\` and \`observe\` of such a key. ` +
      `Time of the processor, garbage collection included; medians of ${rounds} rounds of ${count} keys.`,
    rows: names.map((name) =>
      row({
        name,
        measured: microseconds(name),
        unit: 'µs',
        compared: { to: 'µs', value: microseconds(name) },
        target: { bound: 'most', value: TARGET_MICROSECONDS },
        beside: { 'test and observe, µs': microseconds('alone') },
      }),
    ),
  };
}
