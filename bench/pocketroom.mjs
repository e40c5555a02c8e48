// What a window of elements costs `pocketwindow`, in bits for each of them, and what it would cost if pockets were chosen from larger
// groups, the second one more often, or entries had more ages: a simulation of the numbers of entries, without the entries.
// Prints Markdown. docs/decisions/174-room-in-pockets.md has the table.

import { generator } from '../tools/support/random.mjs';
import { tableText } from './lib/table.mjs';

const POCKET_BITS = 1024;
/** The part of the quotients that is for entries in their second pocket. */
const SECOND_QUOTIENT_SHARE = 0.3;
/** The part of all pockets: enough that a group which is too full is seen. */
const POCKETS = 8192;
const SEED = 57;
/** The share of elements that may find no room. */
const MAX_UNSTORED = 3e-6;
const TARGETS = [0.01, 0.0001, 0.000001];

/** The shapes that are simulated, by the slots of a pocket; the room of others is taken from a line between them. */
const SLOTS = [35, 55, 80];

const variants = [
  { name: 'as it is', groupPockets: 32, handicap: (k) => k >> 4, ageBits: 3 },
  { name: 'the second pocket where it is emptier by 2', groupPockets: 32, handicap: () => 1, ageBits: 3 },
  { name: 'groups of 128 pockets', groupPockets: 128, handicap: (k) => k >> 4, ageBits: 3 },
  { name: 'groups of 1024 pockets', groupPockets: 1024, handicap: (k) => k >> 4, ageBits: 3 },
  { name: '16 ages', groupPockets: 32, handicap: (k) => k >> 4, ageBits: 4 },
  { name: 'pockets age one after another', groupPockets: 32, handicap: (k) => k >> 4, ageBits: 3, isStaggered: true },
  { name: 'groups of 128, emptier by 2', groupPockets: 128, handicap: () => 1, ageBits: 3 },
  { name: 'groups of 128, emptier by 2, 16 ages', groupPockets: 128, handicap: () => 1, ageBits: 4 },
];

/** Whole generations in a window: an entry of the oldest age has left it, and the current generation is not whole. */
const generationsOf = ({ ageBits }) => 2 ** ageBits - 2;

/** The numbers of entries of all pockets by age. */
class Counts {
  constructor(ages) {
    this.ages = ages;
    this.byAge = new Uint16Array(POCKETS * ages);
    this.totals = new Uint16Array(POCKETS);
  }

  add(pocket) {
    this.byAge[pocket * this.ages]++;
    this.totals[pocket]++;
  }

  /** Makes all entries of a pocket a generation older. Those of the oldest age leave. */
  age(pocket) {
    const start = pocket * this.ages;
    this.totals[pocket] -= this.byAge[start + this.ages - 1];
    this.byAge.copyWithin(start + 1, start, start + this.ages - 1);
    this.byAge[start] = 0;
  }
}

/** The share of elements without room, and of those in their second pocket, in a window of a part of all slots. */
function simulate(variant, k, windowShare) {
  const next = generator(SEED);
  const below = (limit) => Math.floor((next() / 2 ** 32) * limit);
  const generations = generationsOf(variant);
  const window = Math.round(windowShare * k * POCKETS);
  const counts = new Counts(generations + 1);
  const { totals } = counts;
  const handicap = variant.handicap(k);
  const { groupPockets } = variant;
  let aged = 0;
  let unstored = 0;
  let second = 0;
  const from = 1.5 * window;
  const end = 4 * window;
  for (let i = 0; i < end; i++) {
    const turns = (i * generations) / window;
    const due = variant.isStaggered ? Math.floor(turns * POCKETS) : Math.floor(turns) * POCKETS;
    for (; aged < due; aged++) counts.age(aged % POCKETS);
    const a = below(POCKETS);
    const start = a - (a % groupPockets);
    const b = start + ((a - start + 1 + below(groupPockets - 1)) % groupPockets);
    const isFirst = totals[a] < k && totals[b] + handicap >= totals[a];
    if (isFirst) counts.add(a);
    else if (totals[b] < k) counts.add(b);
    else if (i >= from) unstored++;
    if (i >= from && !isFirst) second++;
  }
  return { unstored: unstored / (end - from), second: second / (end - from) };
}

/** The largest window, as a part of all slots, in which few enough elements find no room. */
function roomOf(variant, k) {
  let [least, most, second] = [0.5, 0.98, 0];
  for (let step = 0; step < 7; step++) {
    const share = (least + most) / 2;
    const result = simulate(variant, k, share);
    if (result.unstored <= MAX_UNSTORED) [least, second] = [share, result.second];
    else most = share;
  }
  return { share: least, second };
}

/** A value for k slots, on the line between the nearest two that were simulated. */
function between(k, values) {
  const i = k < SLOTS[1] ? 0 : 1;
  return values[i] + ((k - SLOTS[i]) / (SLOTS[i + 1] - SLOTS[i])) * (values[i + 1] - values[i]);
}

/** The bound on the rate of false positives, as ALGORITHMS.md has it; undefined if the header has no room. */
function rateOf({ ageBits }, { r, k }, secondShare) {
  const planesBytes = Math.floor(r / 8) * k + Math.ceil((((r % 8) + ageBits) * k) / 8);
  const quotients = POCKET_BITS - 8 * planesBytes - k;
  if (quotients < 2) return undefined;
  const second = Math.max(1, Math.round(SECOND_QUOTIENT_SHARE * quotients));
  return (k * ((1 - secondShare) / (quotients - second) + secondShare / second)) / 2 ** r;
}

/** The fewest bits for an element of the window at a target. */
function bitsOf(variant, rooms, target) {
  const shares = rooms.map((room) => room.share);
  const seconds = rooms.map((room) => room.second);
  const bits = [];
  for (let k = 24; k <= 96; k++) {
    const share = between(k, shares);
    const second = between(k, seconds);
    for (let r = 8; r <= 24; r++) {
      const rate = rateOf(variant, { r, k }, second);
      if (rate !== undefined && rate <= target) bits.push(POCKET_BITS / (k * share));
    }
  }
  return Math.min(...bits);
}

const rows = variants.map((variant) => {
  const rooms = SLOTS.map((k) => roomOf(variant, k));
  return [
    variant.name,
    ...rooms.map(({ share, second }) => `${share.toFixed(3)}, ${second.toFixed(2)}`),
    ...TARGETS.map((target) => bitsOf(variant, rooms, target).toFixed(1)),
  ];
});
console.log(
  tableText(['variant', ...SLOTS.map((k) => `k=${k}`), ...TARGETS.map((target) => `bits at ${target}`)], rows),
);
