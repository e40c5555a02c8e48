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
  truncateSync,
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
  const notes = [...files.map(({ ino, size }) => ({ ino, size })), { path: folder, names: namesOf(files) }];
  appendFileSync(join(disk, 'notes'), notes.map((note) => `${JSON.stringify(note)}\n`).join(''));
}

/** What was noted: the names of the folder, and the bytes of each file. */
function readNotes(folder, disk) {
  const synced = new Map();
  let names = {};
  // The last line may have been cut off by the kill.
  for (const line of readFileSync(join(disk, 'notes'), 'utf8').split('\n').slice(0, -1)) {
    const { ino, size, path, names: found } = JSON.parse(line);
    if (path === folder) names = found;
    else if (ino !== undefined) synced.set(ino, Math.max(size, synced.get(ino) ?? 0));
  }
  return { synced, names };
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
    const { size } = statSync(target);
    const least = Math.min(size, synced.get(inode) ?? 0);
    truncateSync(target, random() < 0.5 ? least : least + Math.floor(random() * (size - least + 1)));
  }
  rmSync(folder, { recursive: true });
  renameSync(kept, folder);
}
