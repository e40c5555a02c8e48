// The program that runs one contender in a separate process: node judge.mjs NAME LINES VERDICTS SCALE. Reads keys from
// the lines of a file, writes the verdicts to another, one byte each, and prints the time in seconds that the contender
// itself took.

import { closeSync, openSync, readSync, writeFileSync } from 'node:fs';
import { contenders } from './contenders.mjs';
import { timed } from './rounds.mjs';

/** Small enough that the garbage collector frees the keys of a chunk early, so that the measured memory is the contender's. */
const READ_BYTES = 2 ** 16;
const NEWLINE = 10;

/** The lines of a file, one list per chunk. Each line is a separate string, so that it does not keep its chunk in memory. */
function* linesOf(path) {
  const file = openSync(path);
  const buffer = Buffer.alloc(2 * READ_BYTES);
  let kept = 0;
  for (;;) {
    const end = kept + readSync(file, buffer, kept, READ_BYTES, null);
    if (end === kept) break;
    const lines = [];
    let start = 0;
    for (let at = buffer.indexOf(NEWLINE); at >= 0 && at < end; at = buffer.indexOf(NEWLINE, start)) {
      lines.push(buffer.latin1Slice(start, at));
      start = at + 1;
    }
    buffer.copyWithin(0, start, end);
    kept = end - start;
    yield lines;
  }
  closeSync(file);
}

const [name, linesPath, verdictsPath, scale] = process.argv.slice(2);
const judge = await contenders[name](JSON.parse(scale));
const stretches = [];
let seconds = 0;
for (const lines of linesOf(linesPath)) {
  const verdicts = new Uint8Array(lines.length);
  seconds += timed(() => judge(lines, verdicts));
  stretches.push(verdicts);
}
writeFileSync(verdictsPath, Buffer.concat(stretches));
console.log(seconds);
