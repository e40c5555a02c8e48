// Skips tests that the current system cannot run.

import { spawnSync } from 'node:child_process';
import { TestRunner } from 'vitest';

/** Skips the current test, with the reason, if a required condition is not met. */
export function requires(isThere: boolean, reason: string): void {
  if (!isThere) TestRunner.getCurrentTest()?.context.skip(reason);
}

/** Features that tests use and Windows does not have. */
type PosixFeature =
  | 'signals that a process can handle'
  | 'named pipes in folders'
  | 'newlines in names'
  | 'a POSIX shell'
  | 'file modes'
  | 'links that every user may make';

/** Skips the current test on Windows. */
export function requiresPosix(feature: PosixFeature): void {
  requires(process.platform !== 'win32', `Windows does not have ${feature}`);
}

/** Skips the current test of another user where the administrator has Node in a folder that is closed to others. */
export function requiresNodeForOthers(uid: number): void {
  const isOpen = process.getuid?.() !== 0 || spawnSync(process.execPath, ['--version'], { uid }).status === 0;
  requires(isOpen, 'other users cannot run this Node');
}
