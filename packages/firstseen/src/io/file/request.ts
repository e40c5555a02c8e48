// Paths and standard input as inputs that were asked for.

import { existsSync, statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { FilePlace, InputRequest, LookOptions, PathKind, Source } from '../source.js';
import { isFolder } from '../system/folders.js';
import { identityOf, identityOfDescriptor } from '../system/identity.js';
import { inputError } from '../system/inputerror.js';
import { inputName, STANDARD_STREAM, systemPath } from '../system/paths.js';
import { inputDescriptor } from '../system/standardstreams.js';

const NANOSECONDS = 10n ** 9n;

/** The source of a path, or of standard input, by the first kind that recognizes it. */
async function lookAtPath(path: string, kinds: readonly PathKind[], options: LookOptions): Promise<Source | undefined> {
  for (const kind of kinds) {
    const source = await kind.look(path, options);
    if (source) return source;
  }
  return undefined;
}

class NamedPath implements FilePlace {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  kind(): 'file' | 'folder' | 'stream' {
    const stats = statSync(systemPath(this.path));
    if (stats.isDirectory()) return 'folder';
    return stats.isFile() ? 'file' : 'stream';
  }

  isFolder(): boolean {
    return isFolder(this.path);
  }

  isAwaited(): boolean {
    return !existsSync(systemPath(this.path)) && existsSync(systemPath(dirname(this.path)));
  }

  modifiedSeconds(): number | undefined {
    try {
      const stats = statSync(systemPath(this.path), { bigint: true });
      return stats.isFile() ? Number(stats.mtimeNs / NANOSECONDS) : undefined;
    } catch (cause) {
      throw inputError(this.path, cause);
    }
  }

  hasContent(): boolean {
    return statSync(systemPath(this.path)).size > 0;
  }

  async storedBytes(): Promise<number> {
    const stats = await stat(systemPath(this.path)).catch(() => undefined);
    return stats?.isFile() ? stats.size : 0;
  }
}

/** Standard input, which may be a file that it was redirected from. */
export const standardInput: InputRequest = {
  name: inputName(STANDARD_STREAM),
  identity: () => identityOfDescriptor(inputDescriptor()) ?? identityOf(STANDARD_STREAM),
  look: (kinds, options) => lookAtPath(STANDARD_STREAM, kinds, options),
};

/** A file, a folder, a pipe or a device as an input. */
export function pathRequest(path: string): InputRequest {
  return {
    name: path,
    file: new NamedPath(path),
    identity: () => identityOf(path),
    look: (kinds, options) => lookAtPath(path, kinds, options),
  };
}
