import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import {
  finished,
  runFirstseen,
  startFirstseen,
  temporaryFolder,
} from '../../../firstseen/test/cli/support/command.js';
import { copyExamples } from '../../../firstseen/test/support/examples.js';
import { inLongForm, sampleNote, sampleOf } from '../../../firstseen/test/support/form.js';
import { requiresPosix } from '../../../firstseen/test/support/platform.js';
import type { Measurement } from '../../src/contract.js';
import { measure } from '../../src/measure/measure.js';
import { runLab } from '../support/command.js';

const here = fileURLToPath(import.meta.url);

const few = ['run', '--algorithm', 'rlbsbf,sbf', '--memory', '1KiB,2KiB', '--length', '2e4', '--distinct', '20%'];

function linesOf(path: string): string[] {
  return readFileSync(path, 'utf8').split('\n').slice(0, -1);
}

function measurementsIn(path: string): Measurement[] {
  return linesOf(path).map((line) => JSON.parse(line) as Measurement);
}

test('every combination is run and shown, with all seeds in one row', async () => {
  const cwd = temporaryFolder();
  const flags = ['--seed', '1,2', '--curve', '4', '--by-gap', '--layout', 'classic', '--output', 'r.jsonl'];
  const { code, stdout, stderr } = await runLab([...few, ...flags], { cwd });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const found = measurementsIn(join(cwd, 'r.jsonl'));
  expect(found).toHaveLength(8);
  for (const { spec, ...measured } of found) {
    const [again] = (await measure([spec])) as [Measurement];
    expect(measured).toEqual({ ...again, spec: undefined, elementsPerSecond: measured.elementsPerSecond });
    expect(measured.curve).toHaveLength(4);
  }
  const [runs, gaps] = stdout.trimEnd().split('\n\nmissed duplicates by gap, %\n\n') as [string, string];
  const [title, , ...rows] = runs.split('\n');
  expect(title).toMatch(/^uniform: .*20,000 elements, .* % distinct, hashed, seed 1, 2; truth in /);
  expect(rows.map((row) => row.split(/ +/, 2)[0])).toEqual(['algorithm', 'rlbsbf', 'rlbsbf', 'sbf', 'sbf']);
  const [heads, ...lines] = gaps.split('\n');
  const line = lines.find((text) => text.startsWith('129 to 256 '));
  expect(heads).toMatch(/^gap +rlbsbf, classic, 1KiB +rlbsbf, classic, 2KiB +sbf, classic, 1KiB +sbf, classic, 2KiB$/);
  // The counts of the two seeds are added.
  const first = found.filter(
    ({ spec: { detector } }) => detector.algorithm === 'rlbsbf' && detector.memoryBytes === 1024,
  );
  const sum = (name: 'duplicates' | 'falseNegatives') =>
    first.reduce((total, { byGap }) => total + (byGap.find(({ toElements }) => toElements === 256)?.[name] ?? 0), 0);
  expect(Number(line?.split(/ {2,}/)[1])).toBeCloseTo((100 * sum('falseNegatives')) / sum('duplicates'), 1);
});

test('the built command measures the same in its threads, and ends with the same codes', async () => {
  const cwd = temporaryFolder();
  const run = ['run', '--length', '2e4', '--distinct', '20%', '--memory', '1KiB', '--output', 'r.jsonl'];
  // The second run of each prints what the first one wrote to the file.
  for (const args of [run, ['run', '--stream', 'ids', '--set', 'path=none'], ['walk']]) {
    const { code, stdout, stderr } = await runFirstseen(['lab', ...args], { cwd });
    expect({ code, stdout: stdout.toString(), stderr }).toEqual(await runLab(args, { cwd }));
  }
  const [measured] = measurementsIn(join(cwd, 'r.jsonl')) as [Measurement];
  const [again] = (await measure([measured.spec])) as [Measurement];
  expect(measured).toEqual({ ...again, elementsPerSecond: measured.elementsPerSecond });
});

test('a value that is listed twice is counted once', async () => {
  const cwd = temporaryFolder();
  const flags = ['run', '--length', '2e4', '--distinct', '20%', '--layout', 'classic', '--output', 'r.jsonl'];
  const once = await runLab([...flags, '--algorithm', 'bsbf', '--memory', '1KiB'], { cwd });
  const twice = await runLab([...flags, '--algorithm', 'bsbf,bsbf', '--memory', '1KiB,1024', '--seed', '0,0'], {
    cwd,
  });
  expect(twice.stdout).toBe(once.stdout);
});

test('runs in the file are not repeated', async () => {
  const cwd = temporaryFolder();
  const command = [...few, '--output', 'r.jsonl'];
  const first = await runLab(command, { cwd });
  const before = readFileSync(join(cwd, 'r.jsonl'), 'utf8');
  const again = await runLab(command, { cwd });
  expect(again.stdout).toBe(first.stdout);
  expect(readFileSync(join(cwd, 'r.jsonl'), 'utf8')).toBe(before);
  await runLab([...command, '--seed', '0,7'], { cwd });
  expect(readFileSync(join(cwd, 'r.jsonl'), 'utf8').startsWith(before)).toBe(true);
  expect(measurementsIn(join(cwd, 'r.jsonl'))).toHaveLength(8);
});

const signals = [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const;
test.each(sampleOf(signals, 1))(
  `%s ends the runs, and the same command continues${sampleNote}`,
  async (signal, expected) => {
    requiresPosix('signals that a process can handle');
    const cwd = temporaryFolder();
    const output = join(cwd, 'r.jsonl');
    const lengths = (...elements: string[]) => [
      ...few,
      '--output',
      'r.jsonl',
      '--jobs',
      '2',
      '--length',
      elements.join(),
    ];
    const child = startFirstseen(['lab', ...lengths('1e4', '1e11')], { cwd });
    const result = finished(child);
    child.stdin.end();
    // Wait until the short runs have finished. The long ones would take too long.
    while (!existsSync(output) || linesOf(output).length < 4) await sleep(20);
    child.kill(signal);
    const { code, stderr } = await result;
    expect(code).toBe(expected);
    expect(stderr).toContain(`stopped by ${signal} before the end of all 8 runs; finished runs are in r.jsonl`);
    expect(measurementsIn(output)).toHaveLength(4);
    expect((await runLab(lengths('1e4', '2e4'), { cwd })).code).toBe(0);
    expect(measurementsIn(output)).toHaveLength(8);
  },
);

test('the title of the stream comes from a detector that observed all of it', async () => {
  const few = ['--length', '2e5', '--distinct', '20%', '--memory', '1KiB'];
  const { stdout } = await runLab(['run', '--algorithm', 'exact,bloom', ...few], { cwd: temporaryFolder() });
  expect(stdout).toMatch(/; 200,000 elements, 20(\.\d+)? % distinct, hashed/);
  expect(stdout).toMatch(/^exact .* full at \d+$/m);
});

test('a file of identifiers can be the stream', async () => {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'a,b.txt'), '5 6\n5,7 5\n');
  const flags = ['--algorithm', 'exact', '--stream', 'ids', '--set', 'path=a,b.txt', '--output', 'r.jsonl'];
  const { code, stdout } = await runLab(['run', ...flags, '--identity', 'identifier'], { cwd });
  expect(code).toBe(0);
  expect(stdout).toContain('ids: elements of a,b.txt; 5 elements, 60 % distinct, identifier');
  expect(measurementsIn(join(cwd, 'r.jsonl'))).toMatchObject([{ elements: 5, distinct: 3, duplicates: 2 }]);
});

describe('the examples of docs/LAB.md', () => {
  const text = readFileSync(new URL('../../../../docs/LAB.md', import.meta.url), 'utf8').replaceAll('\\\n', '');
  const examples = [...text.matchAll(/^npx firstseen lab (run .*)$/gm)].map(([, command]) => command as string);

  test('are at least five', () => expect(examples.length).toBeGreaterThan(4));

  test.each(examples)('%s', async (example) => {
    const cwd = temporaryFolder();
    copyExamples(cwd);
    writeFileSync(join(cwd, 'ids.txt'), '5 6\n5 7 5\n');
    const shorter = example.includes('path=') ? [] : ['--length', inLongForm('2e4', '5e3')];
    const { code, stdout, stderr } = await runLab([...example.split(/ +/), ...shorter], { cwd });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^algorithm +layout /m);
  });
});

describe('firstseen lab run refuses', () => {
  test.each<[string, string[]]>([
    ['stream uniform requires --distinct or --set universeElements; give one of them', []],
    [
      '--param K has no effect, because qht has no K; leave it out, or give one of s, slotBits, k, slotCount, eviction',
      ['--distinct', '0.5', '--param', 'K=2'],
    ],
    [
      '--set exponent has no effect, because uniform has no exponent; leave it out',
      ['--distinct', '0.5', '--set', 'exponent=1'],
    ],
    ['--algorithm is "sfb", but must be one of', ['--algorithm', 'sbf,sfb']],
    ['--memory is "much"', ['--distinct', '0.5', '--memory', '1KiB,much']],
    ['--length is 1.5, but must be a whole number from 1', ['--distinct', '0.5', '--length', '1.5']],
    ['--seed is "1,"', ['--seed', '1,']],
    ['--distinct is "a%"', ['--distinct', 'a%']],
    ['--param k is 999', ['--distinct', '0.5', '--param', 'k=2,999', '--algorithm', 'bloom']],
    ['too many arguments', ['--distinct', '0.5', 'uniform']],
    [
      '--distinct and --set distinctShare set the same value; leave one of them out',
      ['--distinct', '0.5', '--set', 'distinctShare=0.3'],
    ],
    ['--seed is 1e+300, but must be a whole number from 0 to 2^53 - 1', ['--distinct', '0.5', '--seed', '1e300']],
    ['--curve is 1000000000, but must be a whole number from 0 to 10000', ['--distinct', '0.5', '--curve', '1e9']],
    ['--load-bound is -1, but must be a number greater than 0', ['--distinct', '0.5', '--load-bound', '-1']],
    [
      '--load-bound requires --curve; give --curve, or leave --load-bound out',
      ['--distinct', '0.5', '--load-bound', '0.01'],
    ],
    [
      '--load-bound requires --curve; give --curve, or leave --load-bound out',
      ['--distinct', '0.5', '--load-bound', '0.01', '--curve', '0'],
    ],
    [
      '--distinct has no effect, because adversarial has no distinctShare',
      ['--distinct', '0.5', '--stream', 'adversarial'],
    ],
    ['--set is "exponent", but must be NAME=VALUE, such as exponent=1,1.2', ['--set', 'exponent']],
    [
      'takes either --distinct or --set universeElements, not both',
      ['--distinct', '0.5', '--set', 'universeElements=9'],
    ],
    ['stream recency requires --set windowElements, which was not given', ['--stream', 'recency', '--distinct', '0.5']],
    [
      '--set windowElements is 0.5, but must be a whole',
      ['--stream', 'recency', '--set', 'windowElements=0.5', '--distinct', '1'],
    ],
    ['--distinct is 2, but must be a number greater than 0, at most 0.999', ['--distinct', '200%']],
    ['stream zipf requires exactly two of --set exponent, --distinct and', ['--stream', 'zipf', '--distinct', '0.5']],
    [
      '--output is "-", but must be the name of a file; name one, or leave it out',
      ['--distinct', '0.5', '--output', '-'],
    ],
    ['--output is "", but must be the name of a file', ['--distinct', '0.5', '--output', '']],
    ['takes 116.42GiB, but must take less than 4GiB; choose a shorter stream', ['--set', 'universeElements=10,1e12']],
    ['or leave --by-gap out', ['--set', 'universeElements=2e9', '--by-gap']],
    [
      '--identity is identifier, but lines have no identifiers; give --identity hashed',
      ['--stream', 'lines', '--set', `path=${here}`, '--identity', 'identifier'],
    ],
  ])('%s', async (message, flags) => {
    const cwd = temporaryFolder();
    const { code, stderr } = await runLab(['run', '--output', 'r.jsonl', ...flags], { cwd });
    expect(stderr).toContain(message);
    expect(code).toBe(2);
    expect(existsSync(join(cwd, 'r.jsonl'))).toBe(false);
  });

  test('an output with other content', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'r.jsonl'), 'notes\n');
    const { code, stderr } = await runLab([...few, '--output', 'r.jsonl'], { cwd });
    expect(stderr).toContain('line 1 of r.jsonl is not a result of a run; give another file for the results');
    expect(code).toBe(1);
  });

  test('a file that cannot be read', async () => {
    const cwd = temporaryFolder();
    const { code, stderr } = await runLab(['run', '--stream', 'ids', '--set', 'path=none'], { cwd });
    expect(stderr).toContain('[E_INPUT]');
    expect(code).toBe(1);
  });

  test('a command that does not exist', async () => {
    const cwd = temporaryFolder();
    expect((await runLab([], { cwd })).stderr).toContain(
      'no command was given; choose one of those that the help lists',
    );
    expect((await runLab(['walk'], { cwd })).code).toBe(2);
  });
});
