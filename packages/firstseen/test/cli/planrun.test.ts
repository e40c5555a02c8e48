// The recommendation of `firstseen plan` is what a run takes: with the command that the plan prints, and with the same flags.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseBytes } from '../../src/base/memory.js';
import { pairsOf, sampleNote, sampleOf } from '../support/form.js';
import { temporaryFolder } from './support/command.js';
import { runCommand } from './support/runner.js';

const keys = Array.from({ length: 3000 }, (_, i) => `${(i * 7919) % (400 + (i % 900))}`);

/** A folder with the file of the keys. */
function folderOfKeys(): string {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'keys.txt'), `${keys.join('\n')}\n`);
  return cwd;
}

/** The flags of each axis, of which a row has one each. */
const windows = [[], ['--window', '700'], ['--window', '1m', '--rate', '20']];
const streams = [[], ['--sample', 'keys.txt'], ['--expect-distinct', '1500'], ['--expect-length', '3000']];
const memories = [[], ['--memory', '256KiB'], ['--memory', 'auto']];
const rates = [[], ['--fpr', '0.001']];
const layouts = [[], ['--layout', 'classic']];

const rows = windows.flatMap((window) =>
  streams.flatMap((stream) =>
    memories.flatMap((memory) =>
      rates.flatMap((rate) => layouts.map((layout) => [window, stream, memory, rate, layout])),
    ),
  ),
);

/** What a run takes, by its summary. */
async function takenBy(flags: readonly string[], cwd: string) {
  const { stdout, stderr, code } = await runCommand([...flags, '--stats=json', '--output', '/dev/null', 'keys.txt'], {
    cwd,
  });
  expect(`${stdout}`).toBe('');
  const [last] = `${stderr}`.trim().split('\n').slice(-1);
  expect(code, `${stderr}`).toBe(0);
  const { algorithm, layout, memory_bytes: memoryBytes, parameters, window } = JSON.parse(last as string);
  return { algorithm, layout, memoryBytes, parameters, window };
}

/** The flags of a plan that a run has too, without those that it refuses beside a window. */
function flagsOfRun(row: readonly (readonly string[])[]): string[] {
  const hasWindow = row.flat().includes('--window');
  const ofPlan = ['--rate', '--sample', ...(hasWindow ? ['--expect-distinct', '--expect-length'] : [])];
  return row.flatMap((flags) => {
    const at = flags.findIndex((flag) => ofPlan.includes(flag));
    return at < 0 ? flags : flags.slice(0, at);
  });
}

/** A run knows nothing of a sample, finds no memory for a window, and needs to know something for any other. */
function canRunAlike(row: readonly (readonly string[])[]): boolean {
  const flags = row.flat();
  if (flags.includes('auto')) return !flags.includes('--window') && flags.some((flag) => flag.startsWith('--expect'));
  return flags.includes('--window') || !flags.includes('--sample');
}

// A plan takes seconds.
const pairs = pairsOf(rows, (row) => row.map((flags) => flags.join(' ')));
test.each(sampleOf(pairs, 7))(
  `a run takes what is recommended with %j, %j, %j, %j, %j${sampleNote}`,
  async (...row) => {
    const cwd = folderOfKeys();
    const planned = await runCommand(['plan', ...row.flat()], { cwd });
    expect(planned.code, `${planned.stderr}`).toBe(0);
    const text = `${planned.stdout}`;
    const [, recommended] = /^recommended: (\w+);/m.exec(text) as RegExpExecArray;
    const stars = text.match(/^\* .*/gm) ?? [];
    expect(stars).toHaveLength(1);
    const [, starred, layout] = /^\* (\w+) +(\w+)/.exec(stars[0] as string) as RegExpExecArray;
    expect(starred).toBe(recommended);
    const command = (text.trim().split('\n').at(-1) as string).trim().split(' ');
    expect(command[0]).toBe('firstseen');
    const taken = await takenBy(command.slice(1), cwd);
    expect(taken).toMatchObject({ algorithm: recommended, layout });
    // The letters of the star are those of the run.
    for (const [, letter, value] of (stars[0] as string).matchAll(/ ([\w']+)=(\S+)/g)) {
      const parameter = taken.parameters[letter as string];
      expect(typeof parameter === 'number' ? `${Number(parameter.toPrecision(6))}` : parameter).toBe(value);
    }
    if (row.flat().includes('--window')) expect(taken.window).not.toBeNull();
    const [, memory] = /^memory +(\S+)$/m.exec(text) as RegExpExecArray;
    expect(parseBytes(memory as string)).toBe(taken.memoryBytes);
    if (canRunAlike(row)) expect(await takenBy(flagsOfRun(row), cwd)).toEqual(taken);
  },
);
