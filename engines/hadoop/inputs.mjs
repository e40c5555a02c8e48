// The files of a job, in the order of the stream.

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isLocal, localFile, localPath, pathOf, toUri } from '../common/paths.mjs';
import { Refusal, shell, shellWord } from '../common/shell.mjs';

/** Hadoop does not read files whose names begin so. */
function isHidden(name) {
  return /^[._]/.test(name);
}

/** What is at a path. @throws Refusal when nothing is there. */
function lookAt(path) {
  try {
    return statSync(path);
  } catch (cause) {
    throw new Refusal(`cannot read ${path}: ${cause.message}; give files and folders that exist`);
  }
}

/** The files of a path: { uri, bytes, modified }. */
function localFiles(path) {
  const found = lookAt(path);
  if (found.isFile()) return [localFile(path, found)];
  if (!found.isDirectory()) throw new Refusal(`${path} is neither a file nor a folder; write its records to a file`);
  return readdirSync(path)
    .filter((name) => !isHidden(name))
    .flatMap((name) => localFiles(join(path, name)));
}

/** The files of another file system, as `hadoop fs -ls -R` lists them. */
async function remoteFiles(path, fs) {
  const lines = (await shell(`${fs} -ls -R ${shellWord(path)}`)).split('\n');
  const files = lines.map((line) => /^-\S+\s+\S+\s+\S+\s+\S+\s+(\d+)\s+(\S+ \S+) (.*)$/.exec(line)).filter(Boolean);
  return files
    .map(([, bytes, modified, uri]) => ({ uri, bytes: Number(bytes), modified }))
    .filter(({ uri }) => !uri.slice(path.length).split('/').some(isHidden));
}

const byUri = (a, b) => Buffer.compare(Buffer.from(a.uri), Buffer.from(b.uri));

/** Why Hadoop would read other bytes than those of the file, or in another order; undefined if it would not. */
function problemOf(uri) {
  const name = basename(uri);
  if (isHidden(name)) return 'Hadoop does not read files whose names begin with a dot or an underscore; rename it';
  if (/[,*?^[\]{}\\\n]/.test(uri)) return 'Hadoop takes such a path for a list or a pattern; rename it';
  if (pathOf(uri).includes(':')) return 'Hadoop does not take a colon in a path; rename it';
  if (name.endsWith('.bz2')) return 'Hadoop divides bzip2 files so that their lines have no order; use gzip';
  return undefined;
}

/** @throws Refusal for a file that Hadoop would not read as it is, and for two files with one path. */
function checkFiles(files) {
  const paths = new Set();
  for (const { uri } of files) {
    const problem = problemOf(uri);
    if (problem) throw new Refusal(`cannot take ${uri}: ${problem}`);
    if (paths.has(pathOf(uri))) throw new Refusal(`${uri} is given twice; give each path once`);
    paths.add(pathOf(uri));
  }
}

/** The files of all inputs: in the order of the list if there is one, otherwise by path. @throws Refusal for one that is not listed. */
export async function inputFiles({ inputs, fs, 'input-order': list }) {
  const files = [];
  for (const path of inputs) files.push(...(isLocal(path) ? localFiles(localPath(path)) : await remoteFiles(path, fs)));
  if (files.length === 0) throw new Refusal('the inputs have no files; give others');
  checkFiles(files);
  if (list === undefined) return files.sort(byUri);
  const order = readFileSync(list, 'utf8').split('\n').filter(Boolean).map(toUri);
  const missing = files.find(({ uri }) => !order.includes(uri));
  if (missing) throw new Refusal(`${list} does not list ${missing.uri}; list every input in it`);
  return files.sort((a, b) => order.indexOf(a.uri) - order.indexOf(b.uri));
}
