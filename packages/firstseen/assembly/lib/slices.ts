// The slices of an Age-Partitioned Bloom Filter, grouped into bundles. An add writes to k consecutive slices of the
// ring, and k consecutive slices identify a repeat. Slices that are k or more apart are never tested together, so they
// may share a hash, and their bits for it are adjacent in one word: an element reads one cache line for each bundle, not for
// each slice. Two slices of a bundle never hold the same add, so their contents are as independent as with separate
// hashes. Where elements are added again, the slices can agree more often, and then hold fewer runs between them.
//
// The ring is cut into as many stretches as a bundle has slices, none shorter than k. A bundle consists of the slices
// with the same offset in each stretch. Where some stretches are longer by one, the last slice of each is a bundle of
// its own.

import { LOCATION_BYTES, listLocation, locationDetail, locationWord } from './batch';
import { bitAt, countOnes } from './bits';
import { cellsBytes, cellsOffset, FAMILY_TABLES_OFFSET } from './memory';
import { addressHash, reduce } from './random';

/** Maximum number of slices in a bundle. */
export const MAX_BUNDLED_SLICES: u32 = 8;
const WORD_BITS: u32 = 64;
/** Maximum number of slices: a word has a bit for each. */
export const MAX_SLICES: u32 = WORD_BITS;

/** For each pattern of a bundle's bits, the slices of bundle 0 that it represents: bit s for slice s. */
const SPREAD_OFFSET: u32 = FAMILY_TABLES_OFFSET;
/** For each bundle, a 64-bit word with the bit of the slice that receives adds, or 0 if none does. */
const YOUNG_OFFSET: u32 = SPREAD_OFFSET + ((1 << MAX_BUNDLED_SLICES) << 3);

let youngCount: u32 = 0;
let sliceCount: u32 = 0;
let cells: u32 = 0;
let wordsPerSlice: u32 = 0;
/** Slices of a bundle, a power of two, and its binary logarithm. */
let bundled: u32 = 1;
let bundledShift: u32 = 0;
/** Number of bundles with `bundled` slices. */
let fullBundles: u32 = 0;
/** Number of slices that are a bundle of their own. */
let aloneCount: u32 = 0;

function stretchStart(stretch: u32): u32 {
  return stretch * fullBundles + min(stretch, aloneCount);
}

/** The slice that is bundle `fullBundles + i`. */
function aloneSlice(i: u32): u32 {
  return stretchStart(i) + fullBundles;
}

/** The slices of bundle 0 that a pattern of bits represents. */
function spread(bits: u32): u64 {
  let slices: u64 = 0;
  for (let stretch: u32 = 0; stretch < bundled; stretch++) {
    slices |= (<u64>((bits >> stretch) & 1)) << (<u64>stretchStart(stretch));
  }
  return slices;
}

/**
 * Divides the cells into `count` slices, in bundles of `together` slices, a power of two. An add uses `young` slices.
 */
export function configureSlices(young: u32, count: u32, together: u32): void {
  youngCount = young;
  sliceCount = count;
  cells = cellsOffset();
  wordsPerSlice = (cellsBytes() >> 3) / count;
  bundled = together;
  bundledShift = <u32>ctz(together);
  fullBundles = count / bundled;
  aloneCount = count % bundled;
  const patterns: u32 = 1 << bundled;
  for (let bits: u32 = 0; bits < patterns; bits++) store<u64>(SPREAD_OFFSET + (bits << 3), spread(bits));
}

function bundleCount(): u32 {
  return fullBundles + aloneCount;
}

/** Bytes of an element's list: a location for each bundle. */
export function sliceListBytes(): u32 {
  return bundleCount() * LOCATION_BYTES;
}

/** The address of the first word of a bundle. */
function bundleWord(bundle: u32): u32 {
  const alone = max(bundle, fullBundles) - fullBundles;
  return cells + (((min(bundle, fullBundles) * bundled + alone) * wordsPerSlice) << 3);
}

export function listSlices(fingerprint: u64, at: u32): void {
  const words = wordsPerSlice * bundled;
  const groupMask = WORD_BITS / bundled - 1;
  let end = at;
  let first = cells;
  for (let bundle: u32 = 0; bundle < fullBundles; bundle++) {
    const hash = addressHash(fingerprint, bundle);
    end = listLocation(end, first + (reduce(hash, words) << 3), (<u32>hash & groupMask) << bundledShift);
    first += words << 3;
  }
  for (let bundle = fullBundles; bundle < bundleCount(); bundle++) {
    const hash = addressHash(fingerprint, bundle);
    end = listLocation(end, first + (reduce(hash, wordsPerSlice) << 3), <u32>hash & (WORD_BITS - 1));
    first += wordsPerSlice << 3;
  }
}

/** The slices that contain a listed element: bit s for slice s. */
export function slicesHolding(at: u32): u64 {
  const mask: u64 = ((<u64>1) << (<u64>bundled)) - 1;
  let location = at;
  let holding: u64 = 0;
  for (let bundle: u32 = 0; bundle < fullBundles; bundle++) {
    const bits = <u32>((load<u64>(locationWord(location)) >> <u64>locationDetail(location)) & mask);
    holding |= load<u64>(SPREAD_OFFSET + (bits << 3)) << (<u64>bundle);
    location += LOCATION_BYTES;
  }
  for (let i: u32 = 0; i < aloneCount; i++) {
    holding |= (<u64>bitAt(locationWord(location), locationDetail(location))) << (<u64>aloneSlice(i));
    location += LOCATION_BYTES;
  }
  return holding;
}

/** The stretch that contains a slice. */
function stretchOf(slice: u32): u32 {
  const longOnes = aloneCount * (fullBundles + 1);
  return slice < longOnes ? slice / (fullBundles + 1) : aloneCount + (slice - longOnes) / fullBundles;
}

/** The bundle that contains a slice. */
function bundleOf(slice: u32): u32 {
  const stretch = stretchOf(slice);
  const offset = slice - stretchStart(stretch);
  return offset < fullBundles ? offset : fullBundles + stretch;
}

/** The bit of a slice in a group of its bundle's bits. */
function bitOf(slice: u32): u64 {
  return bundleOf(slice) < fullBundles ? (<u64>1) << (<u64>stretchOf(slice)) : 1;
}

/** Directs adds to the slices from `youngest` on, modulo the ring. */
export function chooseYoung(youngest: u32): void {
  memory.fill(YOUNG_OFFSET, 0, bundleCount() << 3);
  for (let age: u32 = 0; age < youngCount; age++) {
    const slice = (youngest + age) % sliceCount;
    store<u64>(YOUNG_OFFSET + (bundleOf(slice) << 3), bitOf(slice));
  }
}

/** Adds a listed element to the young slices if `added` is 1; does nothing if it is 0. */
export function addToYoung(at: u32, added: u32): void {
  const change = -(<u64>added);
  let location = at;
  for (let bundle: u32 = 0; bundle < bundleCount(); bundle++) {
    const bit = (load<u64>(YOUNG_OFFSET + (bundle << 3)) & change) << (<u64>locationDetail(location));
    store<u64>(locationWord(location), load<u64>(locationWord(location)) | bit);
    location += LOCATION_BYTES;
  }
}

/** Empties a slice, which is one bit in each group of bits of its bundle's words. */
export function emptySlice(slice: u32): void {
  const bundle = bundleOf(slice);
  const isFull = bundle < fullBundles;
  const group = isFull ? bundled : 1;
  const everyGroup = ~(<u64>0) / (((<u64>1) << (<u64>group)) - 1);
  const kept = ~(everyGroup * bitOf(slice));
  const first = bundleWord(bundle);
  const end = first + ((wordsPerSlice * group) << 3);
  for (let word = first; word < end; word += 8) store<u64>(word, load<u64>(word) & kept);
}

/** Fraction of set bits over all slices. */
export function slicesLoad(): f64 {
  const words = sliceCount * wordsPerSlice;
  return <f64>countOnes(cells, words) / (<f64>words * 64.0);
}
