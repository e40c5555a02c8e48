// The program that drives one contender, in a process of its own: node judge.mjs NAME LINES VERDICTS SCALE. Reads keys from the
// lines of a file, writes the verdicts to another, a byte each, and prints the seconds that passed in the contender alone.

import { closeSync, openSync, readSync, writeFileSync } from 'node:fs';
import { contenders } from './contenders.mjs';
import { timed } from './rounds.mjs';

/** Little enough for the keys of a stretch to die young, so that the memory measured is that of the contender. */
const READ_BYTES = 2 ** 16;
const NEWLINE = 10;

/** The lines of a file, a list for each stretch read; each is a string of its own, that keeps no other alive. */
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
