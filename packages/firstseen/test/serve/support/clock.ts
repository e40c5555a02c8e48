// The wall clock in tests.

import { onTestFinished, vi } from 'vitest';

/**
 * Holds the wall clock still until the current test ends. What a server tells of windows in time depends on it, so two servers, or one at two
 * moments, answer the same only if it stands still.
 */
export function holdClock(): void {
  if (vi.isMockFunction(Date.now)) return;
  const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now());
  onTestFinished(() => clock.mockRestore());
}
