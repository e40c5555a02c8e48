// What a test needs of the system that it runs on.

import { TestRunner } from 'vitest';

/** Skips the test at hand, with the reason, when a condition that it needs is not met. */
export function requires(isThere: boolean, reason: string): void {
  if (!isThere) TestRunner.getCurrentTest()?.context.skip(reason);
}

/** What tests use that Windows does not have. */
type PosixFeature =
  | 'signals that a process can handle'
  | 'named pipes in folders'
  | 'a POSIX shell'
  | 'file modes'
  | 'links that every user may make';

/** Skips the test at hand on Windows. */
export function requiresPosix(feature: PosixFeature): void {
  requires(process.platform !== 'win32', `Windows does not have ${feature}`);
}
