// The file systems in which states are kept: one that all nodes have under the same path, or one that Hadoop's commands reach.

import {
  copyFileSync,
  existsSync,
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
import { isLocal, localPath } from './paths.mjs';
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

const localStorage = {
  names: async (folder) => (existsSync(localPath(folder)) ? readdirSync(localPath(folder)) : []),
  makeFolder: async (folder) => mkdirSync(localPath(folder), { recursive: true }),
  readText: async (path) => readFileSync(localPath(path), 'utf8'),
  write: async (path, content) => writeFileSync(localPath(path), content),
  /** Lets `use` read a file in a folder of this machine. */
  withLocal: (folder, _name, use) => use(localPath(folder)),
  moveInto: async (paths, target) => {
    for (const path of paths) moveOrCopy(localPath(path), join(localPath(target), basename(path)));
  },
  shareInto: async (paths, target) => {
    for (const path of paths) linkOrCopy(localPath(path), join(localPath(target), basename(path)));
  },
  /** @throws Error when there is such a folder */
  rename: async (from, to) => renameSync(localPath(from), localPath(to)),
  remove: async (path) => rmSync(localPath(path), { recursive: true, force: true }),
};

/** Paths that a command gets: the shell takes 128 KiB. */
const MOST_PATHS = 200;

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
    const listed = await run(['-ls', '-C', folder], { isQuiet: true }).catch(() => '');
    const paths = listed.split('\n').filter((line) => line.startsWith(`${folder}/`));
    return paths.map((path) => basename(path));
  };
  const all = (command) => async (paths, target) => {
    for (let from = 0; from < paths.length; from += MOST_PATHS) {
      await run([command, ...paths.slice(from, from + MOST_PATHS), target]);
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
    withLocal: (folder, name, use) =>
      withCopy(`${folder}/${name}`, async (copy) => {
        await run(['-get', `${folder}/${name}`, copy]);
        return use(dirname(copy));
      }),
    moveInto: all('-mv'),
    shareInto: all('-cp'),
    // To a folder that exists, the command would move the other one into it.
    rename: async (from, to) => {
      if ((await names(to)).length > 0) throw new Refusal(`there is ${to} already`);
      await run(['-mv', from, to]);
      if ((await names(to)).includes(basename(from))) throw new Refusal(`there is ${to} already`);
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
