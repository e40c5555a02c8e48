import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const example = join(import.meta.dirname, '../../examples/queue-consumer.mjs');

/** The counts of a line such as `name: 3 messages, 4 deliveries, …`, in order. */
function countsOf(line: string | undefined, name: string): number[] {
  const [head, counts] = (line ?? '').split(': ');
  expect(head).toBe(name);
  return [...(counts ?? '').matchAll(/\d+/g)].map(Number);
}

test('the queue consumer loses messages that it marks on arrival, and none with claim and commit', () => {
  const lines = execFileSync(process.execPath, [example], { encoding: 'utf8' }).trimEnd().split('\n');
  expect(lines).toHaveLength(2);

  const [messages = 0, deliveries = 0, lost = 0, keptAway = 0, again] = countsOf(lines[0], 'marked on arrival');
  expect(messages).toBe(1000);
  expect(lost).toBeGreaterThan(0);
  // Every delivery is worked on once or kept away.
  expect(deliveries).toBe(messages + keptAway);
  expect(again).toBe(0);

  const [, claimed = 0, lostOfClaimed, keptOfClaimed = 0, againOfClaimed = 0] = countsOf(lines[1], 'claim and commit');
  expect(lostOfClaimed).toBe(0);
  expect(keptOfClaimed).toBeGreaterThan(0);
  // Only what a worker did before it crashed without a commit is done again.
  expect(againOfClaimed).toBeGreaterThan(0);
  expect(againOfClaimed).toBeLessThan(0.05 * messages);
  // The rest came while its message was pending, or to a worker that crashed.
  expect(claimed).toBeGreaterThan(messages + keptOfClaimed + againOfClaimed);
});
