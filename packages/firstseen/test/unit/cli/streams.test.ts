import { expect, test, vi } from 'vitest';
import { writeMessage } from '../../../src/cli/streams.js';

test('messages of a program that runs for long do not gather listeners', () => {
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const before = process.stderr.listenerCount('error');
  for (let i = 0; i < 100; i++) writeMessage('a message');
  expect(process.stderr.listenerCount('error')).toBeLessThanOrEqual(before + 1);
  expect(write).toHaveBeenCalledTimes(100);
  write.mockRestore();
});
