// Loads the command's modules, and keeps their compiled code for later runs. Node can do this itself from 22.1 on, but Node 20 cannot. And
// Node looks up, reads and hashes each module, which takes longer than to compare it with a copy that is beside the compiled code.

const { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } = require('node:fs');
const { basename, dirname, join } = require('node:path');
const { Script } = require('node:vm');

/** Makes a folder in one that exists. The recursive form would make the home of a user who has none, and never ends below /proc. */
function makeFolder(path) {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
}

/** The folder of all caches of the user. A path that is not absolute would be another folder for each working folder. */
function cachesFolder({ HOME, XDG_CACHE_HOME }) {
  return [XDG_CACHE_HOME, HOME && `${HOME}/.cache`].find((path) => path?.startsWith('/'));
}

/**
 * The folder of compiled code; undefined if there can be none. Who can write it can run code as this user, so it is in a folder that only
 * this user can write.
 */
function compiledFolder(env) {
  const caches = cachesFolder(env);
  if (!caches || env.NODE_DISABLE_COMPILE_CACHE || process.platform === 'win32') return undefined;
  const folder = join(caches, 'firstseen');
  try {
    makeFolder(caches);
    makeFolder(folder);
    const { uid, mode } = statSync(folder);
    return uid === process.getuid() && (mode & 0o022) === 0 ? folder : undefined;
  } catch {
    return undefined;
  }
}

/**
 * A file with the text of a module and its compiled code, which V8 executes without a check of its own: it compares the length of the text
 * and executes code that has changed on the disk. So the file has the whole text, and the code twice.
 */
class CompiledFile {
  #path;

  constructor(folder, path, text) {
    // Versions of Node and of the module do not write over each other's files.
    this.#path = join(folder, `${basename(path)}-${text.length}-${process.version}-${process.arch}`);
  }

  /** The compiled code of exactly this text; undefined if there is none. */
  read(text) {
    try {
      const file = readFileSync(this.#path);
      const codeBytes = (file.length - text.length) / 2;
      const [code, copy] = [
        file.subarray(text.length, text.length + codeBytes),
        file.subarray(text.length + codeBytes),
      ];
      return file.subarray(0, text.length).equals(text) && code.equals(copy) ? code : undefined;
    } catch {
      return undefined;
    }
  }

  /** Writes to a file of another name first, so that no run reads a part. */
  write(text, code) {
    const unfinished = `${this.#path}.${process.pid}-${Math.random()}`;
    try {
      writeFileSync(unfinished, Buffer.concat([text, code, code]), { mode: 0o600, flag: 'wx' });
      renameSync(unfinished, this.#path);
    } catch {
      rmSync(unfinished, { force: true });
    }
  }
}

/** The module that imports for the others. Node loads it, because V8 does not keep with compiled code how a module imports. */
const IMPORTING = 'import.cjs';

/** A function that loads a module of the command, as `require` does, and with it the modules that it requires. */
function moduleLoader(folder) {
  const modules = new Map();
  /** What writes the compiled code of each module that has none yet. */
  const writing = [];

  /** At the end, the code has the functions that the run needed, which V8 compiles when they are called. */
  function writeAtEnd(write) {
    // One listener for all, because Node warns of more than ten.
    if (writing.length === 0) {
      process.once('exit', () => {
        for (const one of writing) one();
      });
    }
    writing.push(write);
  }

  function compile(path) {
    const text = readFileSync(path);
    const file = folder && new CompiledFile(folder, path, text);
    const cachedData = file?.read(text);
    const script = new Script(`(function (exports, require, module, __filename, __dirname) {${text}\n})`, {
      filename: path,
      cachedData,
    });
    if (file && (cachedData === undefined || script.cachedDataRejected)) {
      writeAtEnd(() => file.write(text, script.createCachedData()));
    }
    return script.runInThisContext();
  }

  function load(path) {
    const loaded = modules.get(path);
    if (loaded) return loaded.exports;
    const module = { exports: {} };
    modules.set(path, module);
    const folderOfModule = dirname(path);
    const requireFrom = (name) => {
      if (!name.startsWith('.')) return require(name);
      const target = join(folderOfModule, name);
      return basename(target) === IMPORTING ? require(target) : load(target);
    };
    compile(path).call(module.exports, module.exports, requireFrom, module, path, folderOfModule);
    return module.exports;
  }

  return load;
}

module.exports = { compiledFolder, moduleLoader };
