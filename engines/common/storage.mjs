// The file systems in which states are kept: one that all nodes have under the same path, or one that Hadoop's commands reach.

import {
  copyFileSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { isLocal, localPath, pathOf } from './paths.mjs';
import { Refusal, shell, shellWord } from './shell.mjs';

/** Two names for one file, or a copy where the file system has no links. */
function linkOrCopy(from, to) {
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to);
  }
}

function moveOrCopy(from, to) {
  try {
    renameSync(from, to);
  } catch {
    copyFileSync(from, to);
  }
}

/** The error for a folder that another job has made. */
export class FolderExists extends Refusal {
  constructor(folder) {
    super(`there is ${folder} already`);
  }
}

const localStorage = {
  /** The names in a folder. @throws Error when it cannot be listed, also when there is none: then nothing is known about it */
  names: async (folder) => readdirSync(localPath(folder)),
  makeFolder: async (folder) => mkdirSync(localPath(folder), { recursive: true }),
  readText: async (path) => readFileSync(localPath(path), 'utf8'),
  write: async (path, content) => writeFileSync(localPath(path), content),
  /** Lets `use` read files in a folder of this machine. */
  withLocal: (folder, _names, use) => use(localPath(folder)),
  moveInto: async (paths, target) => {
    for (const path of paths) moveOrCopy(localPath(path), join(localPath(target), basename(path)));
  },
  shareInto: async (paths, target) => {
    for (const path of paths) linkOrCopy(localPath(path), join(localPath(target), basename(path)));
  },
  /** @throws FolderExists when there is such a folder */
  rename: async (from, to) => {
    try {
      renameSync(localPath(from), localPath(to));
    } catch (cause) {
      if (cause.code === 'ENOTEMPTY' || cause.code === 'EEXIST') throw new FolderExists(to);
      throw cause;
    }
  },
  remove: async (path) => rmSync(localPath(path), { recursive: true, force: true }),
};

/** Paths that a command gets: the shell takes 128 KiB. */
const MAX_PATHS = 200;

/** The storage that a command such as `hadoop fs` reaches. */
function remoteStorage(fs) {
  const run = (words, options) => shell(`${fs} ${words.map(shellWord).join(' ')}`, options);
  // Commands may write messages to their output too, so contents go through files.
  const withCopy = async (path, use) => {
    const folder = mkdtempSync(join(tmpdir(), 'firstseen-copy-'));
    try {
      return await use(join(folder, basename(path)));
    } finally {
      rmSync(folder, { recursive: true });
    }
  };
  const names = async (folder) => {
    const listed = (await run(['-ls', '-C', folder])).split('\n');
    return listed.filter((line) => pathOf(dirname(line)) === pathOf(folder)).map((path) => basename(path));
  };
  const all = (command) => async (paths, target) => {
    for (let from = 0; from < paths.length; from += MAX_PATHS) {
      await run([command, ...paths.slice(from, from + MAX_PATHS), target]);
    }
  };
  return {
    names,
    makeFolder: (folder) => run(['-mkdir', '-p', folder]),
    readText: (path) =>
      withCopy(path, async (copy) => {
        await run(['-get', path, copy]);
        return readFileSync(copy, 'utf8');
      }),
    write: (path, content) =>
      withCopy(path, async (copy) => {
        writeFileSync(copy, content);
        await run(['-put', copy, path]);
      }),
    withLocal: (folder, files, use) =>
      withCopy(folder, async (copy) => {
        const local = dirname(copy);
        await all('-get')(
          files.map((name) => `${folder}/${name}`),
          local,
        );
        return use(local);
      }),
    moveInto: all('-mv'),
    shareInto: all('-cp'),
    // To a folder that exists, the command would move the other one into it.
    rename: async (from, to) => {
      if ((await names(dirname(to))).includes(basename(to))) throw new FolderExists(to);
      await run(['-mv', from, to]);
      if ((await names(to)).includes(basename(from))) throw new FolderExists(to);
    },
    remove: (path) => run(['-rm', '-r', '-f', '-skipTrash', path]),
  };
}

export function storageOf(folder, fs) {
  return isLocal(folder) ? localStorage : remoteStorage(fs);
}

/** Moves a folder of this machine to a storage. */
export async function upload(local, target, fs) {
  if (isLocal(target)) {
    const { makeFolder, moveInto, names } = localStorage;
    await makeFolder(target);
    await moveInto(
      (await names(local)).map((name) => join(local, name)),
      target,
    );
  } else {
    await shell(`${fs} -put ${shellWord(local)} ${shellWord(target)}`);
  }
}
