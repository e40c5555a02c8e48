// The steps of a batch that threads take together (narang-2011, section 5). Every thread owns some of the arrays, counts
// the blocks in them, and decides for every record from what all have counted. The threads meet before the first block and
// in every block. One that waits for the others hashes groups of the next batch. Without threads in the build, these
// functions do nothing.

import { CACHE_LINE_BYTES } from '../../lib/cachelines';
import { motifsHash } from './addresses';
import { motifsApply, motifsCount } from './arrays';
import { motifsDecide, motifsGather, motifsOpened, motifsSetOpened } from './decide';
import { MOTIFS_DIGEST_BYTES, motifsDigest, motifsRepeats } from './repeats';
import { MOTIFS_BLOCK, MOTIFS_GROUP, motifsPartStart, recordBytes } from './settings';

/** Polls of a word before a thread sleeps: about as long as waking it would take. */
const SPINS: u32 = 1 << 15;
/** The result of a wait whose time is over. */
const TIMED_OUT: i32 = 2;

/** Words of all owners: the batches that were filled, the threads that have arrived, the meetings, the open sets. */
const ARRIVED_OFFSET: u32 = CACHE_LINE_BYTES;
const MEETINGS_OFFSET: u32 = 2 * CACHE_LINE_BYTES;
const OPENED_OFFSET: u32 = 3 * CACHE_LINE_BYTES;
export const MOTIFS_MEETING_BYTES: u32 = 4 * CACHE_LINE_BYTES;

/** A batch: the groups that threads have claimed, in a cache line of their own, and what the host writes. */
const RECORDS_OFFSET: u32 = CACHE_LINE_BYTES;
const DIGESTS_OFFSET: u32 = RECORDS_OFFSET + 4;
const ADDRESSES_OFFSET: u32 = DIGESTS_OFFSET + 4;
const FIRSTS_OFFSET: u32 = ADDRESSES_OFFSET + 4;
const ANSWERS_OFFSET: u32 = FIRSTS_OFFSET + 4;
const VOTES_OFFSET: u32 = ANSWERS_OFFSET + 4;
const COUNT_OFFSET: u32 = VOTES_OFFSET + 4;
const INDEX_OFFSET: u32 = COUNT_OFFSET + 4;
export const MOTIFS_BATCH_BYTES: u32 = 2 * CACHE_LINE_BYTES;

/** Address of the words of all owners, and the number of owners. */
let words: u32 = 0;
let owners: u32 = 0;
/** Bytes from the addresses of one hash to those of the next one. */
let rowBytes: u32 = 0;
/** Two rows with a part for each owner. They are used alternately, so that a fast thread does not overwrite what a slow one reads. */
let parts: u32 = 0;
let partBytes: u32 = 0;
/** The memory of each owner: a table of digests, a copy of a row of parts, the sets and the votes of a batch. */
let own: u32 = 0;
let ownBytes: u32 = 0;
let tableSlots: u32 = 0;

let owner: u32 = 0;
/**
 * The batch of this owner, its number of records, and the number of its first one. They are read when the owner begins: the
 * host may fill the memory of the batch again while a slow thread takes the last step.
 */
let batch: u32 = 0;
let count: u32 = 0;
let index: f64 = 0;
/** The next batch, and its number. */
let next: u32 = 0;
let nextNumber: u32 = 0;
/** The number of the meeting for which this thread waits. */
let meeting: u32 = 0;

export function motifsOwnersConfigure(
  atWords: u32,
  ownerCount: u32,
  atParts: u32,
  bytesOfPart: u32,
  atOwn: u32,
  bytesOfOwn: u32,
  slots: u32,
  bytesOfRow: u32,
): void {
  words = atWords;
  owners = ownerCount;
  parts = atParts;
  partBytes = bytesOfPart;
  own = atOwn;
  ownBytes = bytesOfOwn;
  tableSlots = slots;
  rowBytes = bytesOfRow;
}

/** Says where the records, the digests and so on of a batch are. */
export function motifsBatchAt(
  at: u32,
  records: u32,
  digests: u32,
  addresses: u32,
  firsts: u32,
  answers: u32,
  votes: u32,
): void {
  store<u32>(at, records, RECORDS_OFFSET);
  store<u32>(at, digests, DIGESTS_OFFSET);
  store<u32>(at, addresses, ADDRESSES_OFFSET);
  store<u32>(at, firsts, FIRSTS_OFFSET);
  store<u32>(at, answers, ANSWERS_OFFSET);
  store<u32>(at, votes, VOTES_OFFSET);
}

/** Reports that a batch is filled with `records` records. The first one has the number `first` in the stream. */
export function motifsFilled(at: u32, records: u32, first: f64): void {
  if (!ASC_FEATURE_THREADS) return;
  atomic.store<u32>(at, 0);
  store<u32>(at, records, COUNT_OFFSET);
  store<f64>(at, first, INDEX_OFFSET);
  atomic.add<u32>(words, 1);
}

/** Hashes a group of records of a batch that no other thread has claimed; false if there is none. */
function hashGroup(at: u32): bool {
  const end = load<u32>(at, COUNT_OFFSET);
  if (atomic.load<u32>(at) * MOTIFS_GROUP >= end) return false;
  const from = atomic.add<u32>(at, 1) * MOTIFS_GROUP;
  if (from >= end) return false;
  const records = load<u32>(at, RECORDS_OFFSET) + from * recordBytes;
  const size = min(end - from, MOTIFS_GROUP);
  motifsDigest(records, size, load<u32>(at, DIGESTS_OFFSET) + from * MOTIFS_DIGEST_BYTES);
  motifsHash(records, size, load<u32>(at, ADDRESSES_OFFSET) + (from << 2), rowBytes);
  return true;
}

/** Hashes a group of the next batch, if that is filled; false if there is none. */
function hashNext(): bool {
  return atomic.load<u32>(words) > nextNumber && hashGroup(next);
}

function arrive(): void {
  meeting = atomic.load<u32>(words + MEETINGS_OFFSET);
  if (atomic.add<u32>(words + ARRIVED_OFFSET, 1) < owners - 1) return;
  atomic.store<u32>(words + ARRIVED_OFFSET, 0);
  atomic.add<u32>(words + MEETINGS_OFFSET, 1);
  atomic.notify(words + MEETINGS_OFFSET, -1);
}

/**
 * Waits until all threads have arrived, and hashes meanwhile; false if they have not after these milliseconds. A negative
 * number sets no limit.
 */
export function motifsMet(milliseconds: i32): bool {
  if (!ASC_FEATURE_THREADS) return true;
  const word = words + MEETINGS_OFFSET;
  while (atomic.load<u32>(word) == meeting && hashNext());
  for (let spin: u32 = 0; spin < SPINS; spin++) if (atomic.load<u32>(word) != meeting) return true;
  const nanoseconds: i64 = milliseconds < 0 ? -1 : <i64>milliseconds * 1000000;
  while (atomic.load<u32>(word) == meeting) {
    if (atomic.wait<i32>(word, <i32>meeting, nanoseconds) == TIMED_OUT) return false;
  }
  return true;
}

/** Begins the work of an owner on batch number `number`. `atNext` is the batch after it. */
export function motifsBegin(ownerNumber: u32, number: u32, at: u32, atNext: u32): void {
  owner = ownerNumber;
  batch = at;
  count = load<u32>(at, COUNT_OFFSET);
  index = load<f64>(at, INDEX_OFFSET);
  next = atNext;
  nextNumber = number + 1;
}

/** The memory of this owner: its table of digests. The copy of the parts, the sets and the votes follow. */
function ownTable(): u32 {
  return own + owner * ownBytes;
}

/** Finds the repeats among the records whose digests belong to this owner. */
function findRepeats(): void {
  const table = ownTable();
  memory.fill(table, 0, tableSlots << 2);
  const digests = load<u32>(batch, DIGESTS_OFFSET);
  motifsRepeats(digests, 0, count, load<u32>(batch, FIRSTS_OFFSET), table, tableSlots, owner, owners);
}

function rowOf(block: u32): u32 {
  return parts + (block & 1) * owners * partBytes;
}

function countBlock(block: u32, size: u32): void {
  const addresses = load<u32>(batch, ADDRESSES_OFFSET) + ((block * MOTIFS_BLOCK) << 2);
  const end = motifsPartStart(owner + 1, owners);
  motifsCount(motifsPartStart(owner, owners), end, addresses, rowBytes, size, rowOf(block) + owner * partBytes);
}

/** Decides for a block from the parts of all owners, and sets its bits in the arrays of this owner. */
function decideBlock(block: u32, size: u32): void {
  const first = block * MOTIFS_BLOCK;
  const gathered = ownTable() + (tableSlots << 2);
  // The answers of the first owner are those of the batch.
  const ownAnswers = gathered + owners * partBytes;
  const answers = owner == 0 ? load<u32>(batch, ANSWERS_OFFSET) : ownAnswers;
  const votes = owner == 0 ? load<u32>(batch, VOTES_OFFSET) : ownAnswers + tableSlots;
  motifsGather(gathered, rowOf(block), owners, partBytes);
  motifsDecide(first, size, index, owners, gathered, partBytes, load<u32>(batch, FIRSTS_OFFSET), answers, votes);
  const addresses = load<u32>(batch, ADDRESSES_OFFSET) + (first << 2);
  motifsApply(motifsPartStart(owner, owners), motifsPartStart(owner + 1, owners), addresses, rowBytes, size);
}

/** The number of records of a block: 0 if the batch has no such block. */
function sizeOf(block: u32): u32 {
  const first = block * MOTIFS_BLOCK;
  return first >= count ? 0 : min(count - first, MOTIFS_BLOCK);
}

/**
 * Does the work of this thread before meeting number `step` of a batch, and arrives at the meeting. Returns false if the
 * batch was done first. Step 0 hashes. Each later step decides for a block and counts the next one.
 */
export function motifsStep(step: u32): bool {
  if (!ASC_FEATURE_THREADS) return false;
  if (step == 0) {
    while (hashGroup(batch));
    arrive();
    return true;
  }
  const block = step - 1;
  if (block == 0) {
    // Another thread may have been this owner in the batch before.
    if (owner > 0) motifsSetOpened(load<u32>(words, OPENED_OFFSET));
    findRepeats();
  } else {
    decideBlock(block - 1, sizeOf(block - 1));
  }
  const size = sizeOf(block);
  if (size == 0) {
    if (owner == 0) store<u32>(words, motifsOpened(), OPENED_OFFSET);
    return false;
  }
  countBlock(block, size);
  arrive();
  return true;
}

/** Takes all steps of an owner in a batch. The parameters are those of `motifsBegin`. */
export function motifsOwnerSteps(ownerNumber: u32, number: u32, at: u32, atNext: u32): void {
  motifsBegin(ownerNumber, number, at, atNext);
  for (let step: u32 = 0; motifsStep(step); step++) motifsMet(-1);
}
