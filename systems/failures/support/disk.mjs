// Loaded into a server by `--import`: notes what its disk certainly has, in the folder of FAILURES_DISK. A loss of power can be played
// after the process is killed (power.mjs). What was synced is noted once the sync has returned, as it was when the sync began.

import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';

const folder = process.env.FAILURES_DISK;
const notes = join(folder, 'notes');

/** Where the bytes of a file end that are not zeros: a log takes space for what it will write. */
function endOf(descriptor) {
  // A descriptor may be for writing only.
  return fs.readFileSync(`/proc/self/fd/${descriptor}`).findLastIndex((byte) => byte !== 0) + 1;
}

/** What a file is, as it is now; of a folder, the files that it has. */
function look(descriptor) {
  const { ino, size } = fs.fstatSync(descriptor);
  const path = fs.readlinkSync(`/proc/self/fd/${descriptor}`);
  if (!fs.fstatSync(descriptor).isDirectory()) return { ino, size, end: endOf(descriptor) };
  const names = {};
  for (const name of fs.readdirSync(path)) {
    const file = join(path, name);
    const found = fs.statSync(file, { throwIfNoEntry: false });
    if (!found?.isFile()) continue;
    names[name] = found.ino;
    // Another name keeps the file when it is removed.
    try {
      fs.linkSync(file, join(folder, `file-${found.ino}`));
    } catch (error) {
      if (!['EEXIST', 'ENOENT'].includes(error.code)) throw error;
    }
  }
  return { path, names };
}

const note = (seen) => fs.appendFileSync(notes, `${JSON.stringify(seen)}\n`);

const { fdatasync } = fs;
fs.fdatasync = (descriptor, callback) => {
  const seen = look(descriptor);
  fdatasync(descriptor, (error) => {
    if (!error) note(seen);
    callback(error);
  });
};

const file = await fs.promises.open(notes, 'a');
const { prototype } = file.constructor;
await file.close();
const { sync } = prototype;
prototype.sync = async function () {
  const seen = look(this.fd);
  await sync.call(this);
  note(seen);
};
syncBuiltinESMExports();
