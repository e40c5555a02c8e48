// Small file systems of their own.

import { spawnSync } from 'node:child_process';

/** Mounts a small file system on a folder. @returns why there is none, in `missing` */
export function mountDisk(folder, size = '8m') {
  if (process.platform !== 'linux' || process.getuid() !== 0) return { missing: 'a small disk needs Linux and root' };
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'firstseen-failures', folder]);
  return status === 0 ? {} : { missing: 'no disk can be mounted here' };
}
