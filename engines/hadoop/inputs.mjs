// The files of a job, in the order of the stream.

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Refusal, shell, shellWord } from './shell.mjs';

const LOCAL = /^file:(\/\/)?(?=\/)/;

export function isLocal(path) {
  return LOCAL.test(path) || !/^[a-z][a-z0-9+.-]*:\//i.test(path);
}

/** The path of a local file. @throws Error for one of another file system. */
export function localPath(path) {
  if (isLocal(path)) return resolve(path.replace(LOCAL, ''));
  throw new Refusal(
    `${path} is not in a file system that this machine has; give a path, or a URI that begins with file:`,
  );
}

export function toUri(path) {
  return isLocal(path) ? `file://${localPath(path)}` : path;
}

/** Hadoop does not read files whose names begin so. */
function isHidden(name) {
  return /^[._]/.test(name);
}

/** The files of a path: { uri, bytes, modified }. */
function localFiles(path) {
  const found = statSync(path);
  if (found.isFile()) return [{ uri: toUri(path), bytes: found.size, modified: String(found.mtimeMs) }];
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

/** The files of all inputs: in the order of the list if there is one, otherwise by path. @throws Error for one that is not listed. */
export async function inputFiles({ inputs, fs, 'input-order': list }) {
  const files = [];
  for (const path of inputs) files.push(...(isLocal(path) ? localFiles(localPath(path)) : await remoteFiles(path, fs)));
  if (files.length === 0) throw new Refusal('the inputs have no files; give others');
  if (list === undefined) return files.sort(byUri);
  const order = readFileSync(list, 'utf8').split('\n').filter(Boolean).map(toUri);
  const missing = files.find(({ uri }) => !order.includes(uri));
  if (missing) throw new Refusal(`${list} does not list ${missing.uri}; list every input in it`);
  return files.sort((a, b) => order.indexOf(a.uri) - order.indexOf(b.uri));
}
