// The key of a WARC record: fields of its header, its block and its payload, one or more of them.

import { KEYED, NOT_COMPARED } from '../lib/classes';
import { findByte, NEWLINE, withoutCarriageReturn } from './bytes';
import { beginParts, classOfParts, isPartSet, setPart, storeParts } from './keys';
import { storeLastPart } from './ranks';
import { partCount, SCAN_KEYS_OFFSET, SEGMENT_INDEX, typeCount, typesOffset } from './settings';
import {
  blockStart,
  findType,
  firstField,
  isField,
  isHttp,
  isNamed,
  isValue,
  nextField,
  settleValue,
  valueEnd,
  valueStart,
} from './warchead';

/** The index that a path has in place of the name of a field: the block of the record, or its payload. */
export const WARC_BLOCK: u32 = 0;
export const WARC_PAYLOAD: u32 = 1;

/** Bytes before the name in an encoded path of one segment. */
const PATH_BYTES: u32 = 12;

/** One past an encoded path of one segment. */
function pathAfter(path: u32): u32 {
  return path + (load<u32>(path, 4) == SEGMENT_INDEX ? PATH_BYTES : PATH_BYTES + ((load<u32>(path, 8) + 3) & ~3));
}

/** Tells if records of this type are compared. */
function isCompared(): bool {
  if (typeCount == 0) return true;
  if (!findType()) return false;
  let type = typesOffset;
  for (let left = typeCount; left > 0; left--) {
    const bytes = load<u32>(type);
    if (isValue(type + 4, bytes)) return true;
    type += 4 + ((bytes + 3) & ~3);
  }
  return false;
}

/**
 * Returns the start of a block's payload: after the header of a message of HTTP, or at once. A header without an end
 * has no payload after it.
 */
function payloadStart(blockEnd: u32): u32 {
  if (!isHttp()) return blockStart;
  for (let line = blockStart; line < blockEnd; ) {
    const lineEnd = findByte(line, blockEnd, NEWLINE);
    if (lineEnd == blockEnd) break;
    if (withoutCarriageReturn(line, lineEnd) == line) return lineEnd + 1;
    line = lineEnd + 1;
  }
  return blockEnd;
}

/** Sets the parts that the field at `name`, which was read last, is. The first field of a name counts. */
function takeField(name: u32): void {
  let path = SCAN_KEYS_OFFSET;
  for (let index: u32 = 0; index < partCount; index++) {
    const isWanted = load<u32>(path, 4) != SEGMENT_INDEX && isNamed(name, path + PATH_BYTES, load<u32>(path, 8));
    if (isWanted && !isPartSet(index)) {
      settleValue(name);
      setPart(index, valueStart, valueEnd);
    }
    path = pathAfter(path);
  }
}

/** Sets the parts that are the block or the payload. */
function takeBlocks(blockEnd: u32): void {
  let path = SCAN_KEYS_OFFSET;
  for (let index: u32 = 0; index < partCount; index++) {
    if (load<u32>(path, 4) == SEGMENT_INDEX) {
      setPart(index, load<u32>(path, 8) == WARC_BLOCK ? blockStart : payloadStart(blockEnd), blockEnd);
    }
    path = pathAfter(path);
  }
}

/** Stores the fingerprint of the key of the record whose header was read last; returns the record's class. */
export function storeWarcKey(blockEnd: u32): u32 {
  if (!isCompared()) return NOT_COMPARED;
  beginParts();
  for (let field = firstField(); isField(field); field = nextField()) takeField(field);
  takeBlocks(blockEnd);
  const found = classOfParts();
  if (found != KEYED) return found;
  const stored = storeParts();
  return stored == KEYED ? storeLastPart() : stored;
}
