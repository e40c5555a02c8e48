// The sample: candidates drawn by a digest of their names, spread evenly over the folders of the sources. An edit changes the sample only
// where it changes a place of it, and a larger sample contains a smaller one.

import { isKernelSource } from '../kernelsources.mjs';
import { digestOf } from './candidates.mjs';

/**
 * The weight of a kind. Constants and conditions are the most frequent by far; with these weights a sample has about as many of each kind
 * as engineers make mistakes of it.
 */
const weights = {
  condition: 2,
  equality: 2,
  bound: 7,
  constant: 1,
  logic: 4,
  arithmetic: 2,
  call: 4,
  await: 4,
  return: 9,
  negation: 4,
  method: 4,
};

/** A number from 0 to 1 for a candidate, lower for kinds of more weight (Efraimidis and Spirakis, 2006). */
function rankOf({ id, kind }, seed) {
  const uniform = (Number.parseInt(digestOf(seed, id).slice(0, 12), 16) + 1) / (2 ** 48 + 1);
  return 1 - uniform ** (1 / weights[kind]);
}

function byRank(candidates, seed) {
  return candidates
    .map((candidate) => ({ candidate, rank: rankOf(candidate, seed) }))
    .sort((one, other) => one.rank - other.rank)
    .map(({ candidate }) => candidate);
}

/** Candidates of whose places no other one was drawn before: a place is mutated in one way. */
function onePerPlace(candidates) {
  const places = new Set();
  return candidates.filter(({ file, start, end }) => {
    const place = [file, start, end].join(':');
    return !places.has(place) && places.add(place);
  });
}

/** Candidates of all rooms, one of each room in turn, the best ranks first. */
function inTurns(candidates, seed) {
  const names = [...new Set(candidates.map(({ room }) => room))].sort((one, other) =>
    digestOf(seed, one) < digestOf(seed, other) ? -1 : 1,
  );
  const ranked = names.map((name) =>
    onePerPlace(
      byRank(
        candidates.filter(({ room }) => room === name),
        seed,
      ),
    ),
  );
  const most = Math.max(0, ...ranked.map(({ length }) => length));
  return Array.from({ length: most }, (_, turn) => ranked.flatMap((room) => room.slice(turn, turn + 1))).flat();
}

/** The part of a sample that is of the kernels. */
const OF_KERNELS = 1 / 5;

export function isOfKernel({ file }) {
  return isKernelSource(file);
}

/** A sample of `count` candidates, one fifth of them of the kernels. */
export function sampleOf(candidates, { count, seed }) {
  const ofKernels = Math.round(count * OF_KERNELS);
  return [
    ...inTurns(
      candidates.filter((candidate) => !isOfKernel(candidate)),
      seed,
    ).slice(0, count - ofKernels),
    ...inTurns(candidates.filter(isOfKernel), seed).slice(0, ofKernels),
  ];
}
