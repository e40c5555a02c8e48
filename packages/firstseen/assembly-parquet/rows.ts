// Rows of columns as lines of JSON, by a tree of nodes that the host makes of the schema.

import { Column, definitionOf, repetitionOf, takeValue, types, valueLength } from './column';
import { putLongScaled, putScaled } from './decimals';
import { putDouble, putFloat, putHalf } from './doubles';
import { Buffer, newBuffer, renew } from './memory';
import { beginText, end, makeRoom, putByte, putBytes, putDigits, putInteger, putNull, setEnd, text } from './output';
import { putBase64, putText, putUuid } from './strings';
import { putDate, putInt96, putTime, putTimestamp } from './times';

export namespace kinds {
  export const VALUE: u32 = 0;
  export const STRUCT: u32 = 1;
  export const LIST: u32 = 2;
  export const MAP: u32 = 3;
}

/** The ways to write a stored value. */
export namespace forms {
  export const BOOLEAN: u32 = 0;
  export const INTEGER: u32 = 1;
  /** Its parameter is the number of bits. */
  export const UNSIGNED: u32 = 2;
  export const FLOAT: u32 = 3;
  export const DOUBLE: u32 = 4;
  export const HALF: u32 = 5;
  export const TEXT: u32 = 6;
  export const BYTES: u32 = 7;
  export const UUID: u32 = 8;
  /** Its parameter is the scale. */
  export const DECIMAL: u32 = 9;
  export const DATE: u32 = 10;
  /** The parameter is the number of digits of a fraction of a second, and one more than twice that in UTC. */
  export const TIME: u32 = 11;
  export const TIMESTAMP: u32 = 12;
  export const INT96: u32 = 13;
}

@unmanaged
export class Node {
  kind: u32;
  form: u32;
  parameter: u32;
  /** A node is null below this definition level, and a list or a map is empty below the other. */
  nullLevel: u32;
  emptyLevel: u32;
  repetition: u32;
  /** Its column, or the first of those below it. */
  column: Column;
  /** The text before the value in a struct, such as `,"id":`. */
  nameAt: usize;
  nameLength: u32;
  /** The first node below it, and the next one beside it. */
  child: Node;
  sibling: Node;
}

export function newNode(kind: u32, nullLevel: u32, emptyLevel: u32, repetition: u32, column: Column): Node {
  const at = heap.alloc(offsetof<Node>());
  memory.fill(at, 0, offsetof<Node>());
  const node = changetype<Node>(at);
  node.kind = kind;
  node.nullLevel = nullLevel;
  node.emptyLevel = emptyLevel;
  node.repetition = repetition;
  node.column = column;
  return node;
}

export function setForm(node: Node, form: u32, parameter: u32): void {
  node.form = form;
  node.parameter = parameter;
}

export function setName(node: Node, at: usize, length: u32): void {
  node.nameAt = at;
  node.nameLength = length;
}

export function setChild(node: Node, child: Node): void {
  node.child = child;
}

export function setSibling(node: Node, sibling: Node): void {
  node.sibling = sibling;
}

/** Passes over the levels of a node that has no value. */
function skip(node: Node): void {
  if (node.kind == kinds.VALUE) {
    node.column.next++;
    return;
  }
  for (let child = node.child; changetype<usize>(child) != 0; child = child.sibling) skip(child);
}

function integerAt(column: Column, at: usize): i64 {
  return column.width == 4 ? <i64>load<i32>(at) : load<i64>(at);
}

function putBoolean(isTrue: bool): void {
  makeRoom(8);
  // `true` and `false`.
  store<u32>(end, isTrue ? 0x65757274 : 0x736c6166);
  if (!isTrue) store<u8>(end, 0x65, 4);
  setEnd(end + (isTrue ? 4 : 5));
}

function putDecimal(column: Column, at: usize, scale: u32): void {
  if (column.type == types.INT32 || column.type == types.INT64) putScaled(integerAt(column, at), scale);
  else putLongScaled(at, valueLength, scale);
}

function putValue(node: Node): void {
  const column = node.column;
  const at = takeValue(column);
  const parameter = node.parameter;
  switch (node.form) {
    case forms.BOOLEAN:
      return putBoolean(load<u8>(at) != 0);
    case forms.INTEGER:
      return putInteger(integerAt(column, at));
    case forms.UNSIGNED: {
      const number = <u64>integerAt(column, at);
      return putDigits(parameter == 64 ? number : number & (((<u64>1) << parameter) - 1), 1);
    }
    case forms.FLOAT:
      return putFloat(load<f32>(at));
    case forms.DOUBLE:
      return putDouble(load<f64>(at));
    case forms.HALF:
      return putHalf(load<u16>(at));
    case forms.TEXT:
      return putText(at, valueLength);
    case forms.BYTES:
      return putBase64(at, valueLength);
    case forms.UUID:
      return putUuid(at);
    case forms.DECIMAL:
      return putDecimal(column, at, parameter);
    case forms.DATE:
      return putDate(integerAt(column, at));
    case forms.TIME:
      return putTime(integerAt(column, at), parameter >> 1, (parameter & 1) != 0);
    case forms.TIMESTAMP:
      return putTimestamp(integerAt(column, at), parameter >> 1, (parameter & 1) != 0);
    default:
      return putInt96(at);
  }
}

function putMembers(node: Node): void {
  makeRoom(2);
  // A name begins with a brace or a comma.
  if (changetype<usize>(node.child) == 0) putByte(0x7b);
  for (let child = node.child; changetype<usize>(child) != 0; child = child.sibling) {
    putBytes(child.nameAt, child.nameLength);
    put(child);
  }
  makeRoom(1);
  putByte(0x7d);
}

/** Keys of a map that are not text while they become text. */
const key: Buffer = newBuffer();

/** Writes a name: the text of a key. */
function putKey(node: Node): void {
  const from = end - text.at;
  put(node);
  const start = text.at + from;
  if (load<u8>(start) == 0x22) return;
  const length = <u32>(end - start);
  renew(key, length);
  memory.copy(key.at, start, length);
  setEnd(start);
  putText(key.at, length);
}

function putEntry(node: Node): void {
  const child = node.child;
  if (node.kind == kinds.LIST) return put(child);
  putKey(child);
  makeRoom(1);
  putByte(0x3a);
  put(child.sibling);
}

function putEntries(node: Node): void {
  const column = node.column;
  const isList = node.kind == kinds.LIST;
  makeRoom(2);
  putByte(isList ? 0x5b : 0x7b);
  if (definitionOf(column) < node.emptyLevel) skip(node);
  else {
    putEntry(node);
    while (repetitionOf(column) == node.repetition) {
      makeRoom(1);
      putByte(0x2c);
      putEntry(node);
    }
  }
  makeRoom(1);
  putByte(isList ? 0x5d : 0x7d);
}

function put(node: Node): void {
  if (node.nullLevel != 0 && definitionOf(node.column) < node.nullLevel) {
    putNull();
    return skip(node);
  }
  if (node.kind == kinds.VALUE) {
    putValue(node);
    node.column.next++;
  } else if (node.kind == kinds.STRUCT) putMembers(node);
  else putEntries(node);
}

/** The number of rows that `writeRows` wrote last. */
export let writtenRows: u32 = 0;

/** Notes rows that were read, in the columns with repetitions. */
function countRows(node: Node, rows: u32): void {
  if (node.kind == kinds.VALUE) node.column.rowStarts -= min(rows, node.column.rowStarts);
  else for (let child = node.child; changetype<usize>(child) != 0; child = child.sibling) countRows(child, rows);
}

/** Writes rows of a root as lines, until there are `rows` of them or `bytes` bytes; returns the number of bytes. */
export function writeRows(root: Node, rows: u32, bytes: u32): usize {
  beginText();
  let done: u32 = 0;
  while (done < rows && end - text.at < bytes) {
    putMembers(root);
    makeRoom(1);
    putByte(0x0a);
    done++;
  }
  countRows(root, done);
  writtenRows = done;
  return end - text.at;
}

/** The address of the lines. */
export function textAddress(): usize {
  return text.at;
}

/** The number of rows that `writeRows` wrote. */
export function rowsWritten(): u32 {
  return writtenRows;
}
