// Plays a loss of power: what is left of a data folder whose server was killed, if the disk has only what disk.mjs has noted.

import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

/** Files that a start does not read. */
const LEFT_OUT = /\.(?:lock|part)/;

function filesIn(folder) {
  return readdirSync(folder)
    .filter((name) => !LEFT_OUT.test(name))
    .map((name) => ({ name, path: join(folder, name), ...inodeAndSize(join(folder, name)) }));
}

function inodeAndSize(path) {
  const { ino, size } = statSync(path);
  return { ino, size };
}

function namesOf(files) {
  return Object.fromEntries(files.map(({ name, ino }) => [name, ino]));
}

/** Begins to note what the disk has: all that is in the folder. */
export function beginNotes(folder, disk) {
  rmSync(disk, { recursive: true, force: true });
  mkdirSync(disk);
  const files = filesIn(folder);
  const notes = [...files.map(({ ino, size }) => ({ ino, size, end: size })), { path: folder, names: namesOf(files) }];
  appendFileSync(join(disk, 'notes'), notes.map((note) => `${JSON.stringify(note)}\n`).join(''));
}

/** What was noted: the names of the folder, and the size of each file with the end of what was written to it. */
function readNotes(folder, disk) {
  const synced = new Map();
  let names = {};
  // The last line may have been cut off by the kill.
  for (const line of readFileSync(join(disk, 'notes'), 'utf8').split('\n').slice(0, -1)) {
    const { ino, size, end, path, names: found } = JSON.parse(line);
    if (path === folder) names = found;
    else if (ino !== undefined) synced.set(ino, { size, end: Math.max(end, synced.get(ino)?.end ?? 0) });
  }
  return { synced, names };
}

/** What the disk has of a file: what was synced, and any part of the rest. Space that was taken ahead is zeros. */
function keptBytes(bytes, { size = 0, end = 0 } = {}, random) {
  const least = Math.min(bytes.length, end);
  const kept = random() < 0.5 ? least : least + Math.floor(random() * (bytes.length - least + 1));
  const length = Math.min(bytes.length, Math.max(size, kept));
  return Buffer.concat([bytes.subarray(0, kept), Buffer.alloc(Math.max(0, length - kept))]);
}

/**
 * Replaces a folder by what the disk has. What was not synced is lost, or a part of it is: a file may be longer than it was synced, and the
 * names may be the latest ones.
 * @param random gives numbers from 0 to 1
 */
export function losePower(folder, disk, random) {
  const { synced, names } = readNotes(folder, disk);
  const files = filesIn(folder);
  const latest = new Map(files.map(({ ino, path }) => [ino, path]));
  const kept = `${folder}.kept`;
  mkdirSync(kept);
  for (const [name, inode] of Object.entries(random() < 0.3 ? namesOf(files) : names)) {
    if (LEFT_OUT.test(name)) continue;
    const target = join(kept, name);
    copyFileSync(latest.get(inode) ?? join(disk, `file-${inode}`), target);
    writeFileSync(target, keptBytes(readFileSync(target), synced.get(inode), random));
  }
  rmSync(folder, { recursive: true });
  renameSync(kept, folder);
}
