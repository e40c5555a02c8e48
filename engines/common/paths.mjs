// Paths and URIs of local files, and of files that only a command such as `hadoop fs` reaches.

import { resolve } from 'node:path';
import { Refusal } from './shell.mjs';

const LOCAL = /^file:(\/\/)?(?=\/)/;

export function isLocal(path) {
  return LOCAL.test(path) || !/^[a-z][a-z0-9+.-]*:\//i.test(path);
}

/** The path of a local file. @throws Refusal for one of another file system. */
export function localPath(path) {
  if (isLocal(path)) return resolve(path.replace(LOCAL, ''));
  throw new Refusal(
    `${path} is not in a file system that this machine has; give a path, or a URI that begins with file:`,
  );
}

/** The path of a URI without the file system, and with single slashes. */
export function pathOf(uri) {
  return uri.replace(/^[a-z][a-z0-9+.-]*:(\/\/[^/]*)?/i, '').replace(/\/+/g, '/');
}

export function toUri(path) {
  return isLocal(path) ? `file://${localPath(path)}` : path;
}

/** A local file as the note of a block has it. */
export function localFile(path, { size, mtimeMs }) {
  return { uri: toUri(path), bytes: size, modified: String(mtimeMs) };
}
