// A batch of keys through observeMany, compared with single calls of observe.

import { create } from 'firstseen';
import { median } from '../tools/support/median.mjs';
import { generator } from '../tools/support/random.mjs';
import { url } from './lib/data.mjs';
import { medianSpeedRatio, takeTurns, timed } from './lib/rounds.mjs';
import { row } from './lib/table.mjs';

/** The most time of a batch, as a share of that of single calls. */
const TARGET = 0.4;
const SEED = 5;
/** Turns before the measured ones, in which the functions are compiled. */
const WARM_ROUNDS = 8;

const encoder = new TextEncoder();

/** Makes texts of this number of characters, drawn from ranges of code points. */
function textOf(characters, ...ranges) {
  const alphabet = ranges.flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, i) => first + i));
  const next = generator(SEED);
  return () => String.fromCodePoint(...Array.from({ length: characters }, () => alphabet[next() % alphabet.length]));
}

const [letters, accented, cyrillic, cjk, emoji] = [
  [0x61, 0x7a],
  [0xe8, 0xeb],
  [0x430, 0x44f],
  [0x4e00, 0x5dff],
  [0x1f600, 0x1f64f],
];

/** The keys by their kind: a function of their number. */
const kinds = {
  integers: (number) => number,
  'ids of 12 letters': textOf(12, letters),
  'URLs of about 48 characters': url,
  'URLs, as bytes': (number) => encoder.encode(url(number)),
  'hashes of 32 bytes': (number) => encoder.encode(url(number)).slice(-32),
  'Latin-1, 12 characters': textOf(12, letters, accented),
  'Latin-1, 40 characters': textOf(40, letters, accented),
  'Cyrillic, 12 characters': textOf(12, cyrillic),
  'Cyrillic, 40 characters': textOf(40, cyrillic),
  'CJK, 8 characters': textOf(8, cjk),
  'CJK, 40 characters': textOf(40, cjk),
  'letters and emoji, 20 characters': textOf(20, letters, emoji),
};

/** Keys, texts in one piece each, as a parser makes them. */
function keysOf(make, count) {
  const keys = Array.from({ length: count }, (_, number) => make(number));
  return typeof keys[0] === 'string' ? JSON.parse(JSON.stringify(keys)) : keys;
}

/** A contender whose turn takes the next keys. */
function contender(name, keys, keysPerTurn, work) {
  let start = 0;
  const turn = () => {
    const part = keys.slice(start, start + keysPerTurn);
    start = (start + keysPerTurn) % keys.length;
    return timed(() => work(part));
  };
  return { name, turn };
}

async function measureKind([kind, make], { memory, keysPerTurn, turnsOfKeys, rounds }) {
  const keys = keysOf(make, keysPerTurn * turnsOfKeys);
  const [many, single] = await Promise.all([create({ memory }), create({ memory })]);
  const seconds = takeTurns(
    [
      contender('many', keys, keysPerTurn, (part) => many.observeMany(part)),
      contender('single', keys, keysPerTurn, (part) => {
        for (const key of part) single.observe(key);
      }),
    ],
    WARM_ROUNDS + rounds,
  );
  const [ofMany, ofSingle] = [seconds.many, seconds.single].map((all) => all.slice(WARM_ROUNDS));
  const nanoseconds = (all) => (median(all) / keysPerTurn) * 1e9;
  return row({
    name: `${kind}, ${memory}`,
    measured: nanoseconds(ofMany),
    unit: 'ns',
    compared: { to: 'of observe(key)', value: medianSpeedRatio(ofSingle, ofMany) },
    target: { bound: 'most', value: TARGET },
    beside: { 'observe(key), ns': nanoseconds(ofSingle) },
  });
}

/** @returns {Promise<import('./lib/table.mjs').Section>} */
export async function measureMany({ isQuick }) {
  const scale = isQuick
    ? { keysPerTurn: 1024, turnsOfKeys: 2, rounds: 3 }
    : { keysPerTurn: 2 ** 13, turnsOfKeys: 16, rounds: 64 };
  const rows = [];
  for (const memory of ['64KiB', '64MiB']) {
    for (const kind of Object.entries(kinds)) rows.push(await measureKind(kind, { memory, ...scale }));
  }
  return {
    title: 'Batches of keys',
    text:
      `\`observeMany(keys)\` of the default detector, ${scale.keysPerTurn} keys a turn, time for a key, and the same keys ` +
      `through \`observe(key)\`. Medians of ${scale.rounds} rounds.`,
    rows,
  };
}
