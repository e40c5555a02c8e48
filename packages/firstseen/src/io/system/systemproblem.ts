// What an error of the operating system says of a file, in plain words.

import { defined } from '../../base/defined.js';

export interface SystemProblem {
  problem: string;
  /** The remedy, where it does not follow from the problem. */
  remedy?: string;
}

/** The access to the file. */
export type FileAccess = 'read' | 'write';

const anyAccess: Readonly<Record<string, SystemProblem>> = {
  EACCES: { problem: 'permission denied' },
  EPERM: { problem: 'permission denied' },
  EISDIR: { problem: 'it is a directory', remedy: 'name a file' },
  ENOTDIR: { problem: 'a part of its path is a file, not a folder' },
  EROFS: { problem: 'its file system is read-only' },
  ENOSPC: { problem: 'its disk is full', remedy: 'free space, or name a file on another disk' },
  EDQUOT: { problem: 'the disk quota is used up', remedy: 'free space, or name a file on another disk' },
  EFBIG: { problem: 'the file would exceed the limit of its size (ulimit -f)' },
  EMFILE: { problem: 'too many files are open', remedy: 'raise the limit (ulimit -n)' },
  ENAMETOOLONG: { problem: 'the name is too long' },
  ELOOP: { problem: 'its symbolic links lead in a circle' },
};

/** The system reports a missing folder like a missing file. */
const missing: Readonly<Record<FileAccess, SystemProblem>> = {
  read: { problem: 'there is no such file' },
  write: { problem: 'its folder does not exist', remedy: 'create the folder, or name another file' },
};

/** The problem of an error. An unknown problem has the words of the system, without the call and the path at the end. */
export function systemProblem(cause: unknown, access: FileAccess): SystemProblem {
  if (!(cause instanceof Error)) return { problem: String(cause) };
  const { code = '', message } = cause as NodeJS.ErrnoException;
  if (code === 'ENOENT') return missing[access];
  return anyAccess[code] ?? { problem: message.replace(/, \w+( '.*')?$/, '') };
}

/** Details of a FirstseenError about that problem. */
export function systemDetails(cause: unknown, access: FileAccess): { remedy?: string; cause: unknown } {
  return { ...defined({ remedy: systemProblem(cause, access).remedy }), cause };
}
