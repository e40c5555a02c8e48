// Streams of records, what one process makes of them, and outputs of engines in the order of the stream.

import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { firstseen } from '../../../tools/support/paths.mjs';
import { generator } from '../../../tools/support/random.mjs';

/**
 * Objects with a key, an empty line, an empty key and, unless it has to be text, bytes that are not UTF-8 now and then.
 * @param keys number of different keys
 */
export function objects(count, { keys, seed, isText = false }) {
  const random = generator(seed);
  const lines = [];
  for (let i = 0; i < count; i++) {
    const key = random() % keys;
    if (i % 997 === 0) lines.push(Buffer.from('\n'));
    else if (i % 991 === 0) lines.push(Buffer.from('{"id":""}\n'));
    else if (i % 7 === 0 && !isText) lines.push(Buffer.from(`{"id":${key},\t"n":"\xff\x80${i}"}\n`, 'latin1'));
    else lines.push(Buffer.from(`{"id":${key},\t"n":"${i}"}\n`));
  }
  return Buffer.concat(lines);
}

/** Runs firstseen; returns its output. @throws Error with its message when it fails. */
export function run(args, options = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [firstseen, ...args], {
    maxBuffer: 2 ** 30,
    ...options,
  });
  if (status !== 0) throw new Error(`firstseen ${args.join(' ')}: ${stderr}`);
  return stdout;
}

/** The lines of all outputs of a job, each with its position in front, sorted by position, without the positions. */
export function inOrder(folder) {
  const parts = readdirSync(folder).filter((name) => name.startsWith('part-'));
  return sortedByPosition(Buffer.concat(parts.map((name) => readFileSync(join(folder, name)))));
}

/** The lines of a text, each with its newline. */
export function linesOf(bytes) {
  const lines = [];
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.indexOf(0x0a, from) + 1 || bytes.length;
    lines.push(bytes.subarray(from, end));
    from = end;
  }
  return lines;
}

/** The records of lines that begin with positions, in the order of the positions. */
function sortedByPosition(bytes) {
  const lines = linesOf(bytes).sort(Buffer.compare);
  return Buffer.concat(lines.map((line) => line.subarray(line.indexOf('\t') + 1)));
}
