// Makes the parts of a build that are out of date, side by side. A part is out of date when a file from which it is made has changed since,
// or when one of its files is missing.

import { createHash } from 'node:crypto';
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const LOCK_POLL_MILLISECONDS = 100;

/** The files of a path: the file itself, or all files in the folder. */
function filesOf(path) {
  if (!existsSync(path)) return [];
  if (!statSync(path).isDirectory()) return [path];
  const entries = readdirSync(path, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath ?? entry.path, entry.name));
}

/** A digest of the names and contents of the files from which a part is made. */
function inputDigest({ inputs }, root) {
  const hash = createHash('sha256');
  for (const path of inputs.flatMap((input) => filesOf(join(root, input))).sort()) {
    hash
      .update(`${path.slice(root.length)}\0`)
      .update(readFileSync(path))
      .update('\0');
  }
  return hash.digest('hex');
}

/** Runs at most `most` functions at the same time; the others wait in their order. */
function limited(most) {
  let running = 0;
  const waiting = [];
  return async (run) => {
    if (running >= most) await new Promise((resolve) => waiting.push(resolve));
    else running++;
    try {
      return await run();
    } finally {
      // The next one takes over the place of this one.
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}

/** Tells if the process that holds a lock still runs. A lock without a holder is of a process that was killed while it wrote it. */
function runs(pid) {
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Creates a lock with its holder in it, at once, so that nobody reads one without a holder. False if there is a lock. */
function tryLock(lock) {
  const written = `${lock}-${process.pid}`;
  writeFileSync(written, String(process.pid));
  try {
    linkSync(written, lock);
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    return false;
  } finally {
    rmSync(written);
  }
}

/** The process that holds a lock; undefined if it was released meanwhile. */
function holderOf(lock) {
  try {
    return Number(readFileSync(lock, 'utf8'));
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    return undefined;
  }
}

/** Removes the lock of a process that has ended. It is moved first, so that of several processes only one removes it. */
function removeDead(lock) {
  const moved = `${lock}-${process.pid}-dead`;
  try {
    renameSync(lock, moved);
    // Another process may have removed the dead one and locked since.
    if (runs(holderOf(moved))) linkSync(moved, lock);
    rmSync(moved);
  } catch (error) {
    if (error.code !== 'ENOENT' && error.code !== 'EEXIST') throw error;
  }
}

/** Runs a function while no other process builds in the same folder. */
async function alone(folder, run) {
  const lock = join(folder, 'lock');
  mkdirSync(folder, { recursive: true });
  while (!tryLock(lock)) {
    const holder = holderOf(lock);
    if (holder === undefined) continue;
    if (runs(holder)) await sleep(LOCK_POLL_MILLISECONDS);
    else removeDead(lock);
  }
  try {
    return await run();
  } finally {
    rmSync(lock);
  }
}

/**
 * Makes parts and those that they need.
 * @param parts by name: { needs, inputs, outputs, make }. `needs` are names of other parts, `inputs` and `outputs` are paths of files and
 * folders, and `make` is called when the part is out of date
 * @param options `root`, the folder of the paths, and `folder`, where the digests of what was made are kept
 * @returns the names of the parts that were made
 */
export function makeParts(parts, names, { root, folder }) {
  const withinLimit = limited(availableParallelism());
  const made = [];

  async function makeOne(name) {
    const part = parts[name];
    await Promise.all((part.needs ?? []).map(make));
    const stamp = join(folder, name);
    const digest = inputDigest(part, root);
    const isThere = part.outputs.every((output) => existsSync(join(root, output)));
    if (isThere && existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) return;
    rmSync(stamp, { force: true });
    await withinLimit(() => part.make());
    mkdirSync(dirname(stamp), { recursive: true });
    writeFileSync(stamp, digest);
    made.push(name);
  }

  const promises = new Map();
  function make(name) {
    if (!promises.has(name)) promises.set(name, makeOne(name));
    return promises.get(name);
  }

  return alone(folder, async () => {
    // What has begun is awaited, also after a failure, so that nothing writes after the lock is given up.
    const results = await Promise.allSettled(names.map(make));
    await Promise.allSettled(promises.values());
    const failed = results.find(({ status }) => status === 'rejected');
    if (failed) throw failed.reason;
    return made;
  });
}
