// Runs every example with the command in examples/README.md and checks what it prints.

import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { packageFolder, repositoryFolder } from '../support/folders.js';

const readme = readFileSync(join(repositoryFolder, 'examples/README.md'), 'utf8');

/** The commands in the table, one per row. */
const commands = [...readme.matchAll(/^\|[^|]*\| `([^`]+)` \|/gm)].map(([, command]) => command as string);

interface Printed {
  /** Lines of standard output. */
  lines: string[];
  /** The numbers in lines such as `name: 12`, from standard output and standard error. */
  facts: Record<string, number>;
}

function run(command: string): Printed {
  const [program, ...words] = command.split(' ');
  // In a clone, `npx firstseen` runs the built command.
  const args = program === 'npx' ? [join(packageFolder, 'dist/cli/main.js'), ...words.slice(1)] : words;
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: repositoryFolder, encoding: 'utf8' });
  expect(status, stderr).toBe(0);
  const facts = [...`${stdout}${stderr}`.matchAll(/^([a-z ,]+): (\d+)$/gim)].map(([, name, count]) => [
    name,
    Number(count),
  ]);
  return { lines: stdout.trimEnd().split('\n'), facts: Object.fromEntries(facts) };
}

/** Asserts that a count is at most the truth and below it by at most `share`, because false positives lower it. */
function expectAlmost(count: number | undefined, truth: number | undefined, share: number): void {
  expect(truth).toBeGreaterThan(0);
  expect(count).toBeLessThanOrEqual(truth as number);
  expect(count).toBeGreaterThanOrEqual((truth as number) * (1 - share));
}

/** The counts of a line such as `name: 3 messages, 4 deliveries`, in order. */
function countsOf(line: string | undefined, name: string): number[] {
  const [head, counts] = (line ?? '').split(': ');
  expect(head).toBe(name);
  return [...(counts ?? '').matchAll(/\d+/g)].map(Number);
}

const checks: Record<string, (printed: Printed) => void> = {
  'npx firstseen examples/access.log --stats': ({ lines }) => {
    const log = readFileSync(join(repositoryFolder, 'examples/access.log'), 'utf8').trimEnd().split('\n');
    expect(log).toHaveLength(2000);
    expect(lines).toEqual([...new Set(log)]);
  },

  'node examples/url-frontier.mjs': ({ facts }) => {
    expectAlmost(facts['pages fetched'], facts['pages that an exact crawler fetches'], 0.001);
    expect(facts['pages fetched again']).toBe(0);
    expect(facts['links met']).toBeGreaterThan(200_000);
    expect(facts['bytes of memory']).toBe(65536);
    expect(facts['bytes of the URLs of an exact crawler']).toBeGreaterThan(10 * 65536);
  },

  'node examples/past-hour.mjs': ({ facts }) => {
    expect(facts.packets).toBeGreaterThan(200_000);
    expectAlmost(facts['addresses passed on'], facts['addresses after an hour of silence, exactly'], 0.01);
    // Every address of the past hour is found. Those that are up to a sixth of an hour older may be found too.
    const recent = facts['addresses of the past hour, exactly'] as number;
    expect(facts['addresses of the past hour']).toBeGreaterThanOrEqual(recent);
    expect(facts['addresses of the past hour']).toBeLessThan(1.2 * recent);
    expect(facts['bytes of memory']).toBe(2 ** 18);
  },

  'node examples/ad-clicks.mjs': ({ facts }) => {
    const clicks = facts.clicks as number;
    expectAlmost(facts['clicks paid'], facts['clicks that an exact count pays'], 0.001);
    const repeats = ['news', 'weather', 'games', 'recipes'].map((name) => facts[`repeats of ${name}`] as number);
    expect(repeats.reduce((sum, count) => sum + count, 0)).toBe(clicks - (facts['clicks paid'] as number));
    // The cheating publisher has by far the most repeats.
    const [cheat = 0, ...honest] = repeats.sort((a, b) => b - a);
    expect(cheat).toBe(facts['repeats of games']);
    for (const count of honest) expect(cheat).toBeGreaterThan(5 * count);
    expect(facts['bytes of memory']).toBe(2 ** 20);
  },

  'node examples/call-records.mjs': ({ facts }) => {
    expect(facts['records arrived']).toBeGreaterThan(1.1 * (facts.calls as number));
    expectAlmost(facts['calls archived'], facts.calls, 0.001);
    // Repeats arrive soon after the original, so none passes.
    expect(facts['records archived']).toBe(facts['calls archived']);
    expect(facts['bytes of memory']).toBe(2 ** 20);
  },

  'node examples/queue-consumer.mjs': ({ lines }) => {
    expect(lines).toHaveLength(2);
    const [messages = 0, deliveries = 0, lost = 0, keptAway = 0, again] = countsOf(lines[0], 'marked on arrival');
    expect(messages).toBe(1000);
    expect(lost).toBeGreaterThan(0);
    // Every delivery is either processed once or dropped as a repeat.
    expect(deliveries).toBe(messages + keptAway);
    expect(again).toBe(0);

    const [, claimed = 0, lostOfClaimed, keptOfClaimed = 0, againOfClaimed = 0] = countsOf(
      lines[1],
      'claim and commit',
    );
    expect(lostOfClaimed).toBe(0);
    expect(keptOfClaimed).toBeGreaterThan(0);
    // A message is processed again only if a worker crashed between its work and the commit.
    expect(againOfClaimed).toBeGreaterThan(0);
    expect(againOfClaimed).toBeLessThan(0.05 * messages);
    // The other deliveries arrived while their message was pending, or reached a worker that crashed.
    expect(claimed).toBeGreaterThan(messages + keptOfClaimed + againOfClaimed);
  },
};

describe('the table of examples', () => {
  test('has a row for each check, and a check for each row', () => {
    expect(commands.toSorted()).toEqual(Object.keys(checks).sort());
  });

  test('lists every program of the folder', () => {
    const files = readdirSync(join(repositoryFolder, 'examples'), { withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );
    const others = ['README.md', 'package.json', 'package-lock.json'];
    const named = files.map(({ name }) => name).filter((name) => !others.includes(name));
    for (const name of named) expect(commands.join('\n')).toContain(`examples/${name}`);
  });
});

test.each(Object.entries(checks))('%s', (command, check) => check(run(command)));
