// The last line of .ci/run is the sum over all tests, and nothing that went wrong looks like a success in it.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import { runSteps } from '../ci/steps.mjs';
import { counterOf, countsOf, countsText, skippedLines } from '../counts.mjs';
import { whyUnreachable } from '../fetch.mjs';
import { measured, wordsOf } from '../measured.mjs';
import { whyNotJava } from '../support/engines/fetch.mjs';

const root = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'firstseen-ci-'));
let files = 0;

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function fileOf(text) {
  const path = join(folder, `${files++}.mjs`);
  writeFileSync(path, text);
  return path;
}

describe('counts', () => {
  test.each([
    ['1 passed, 0 failed', { passed: 1, failed: 0 }],
    ['lint: failed\n12 passed, 3 failed\n', { passed: 12, failed: 3 }],
    ['0 passed, 0 failed, 29 skipped\n\n', { passed: 0, failed: 0, skipped: 29 }],
    ['1 passed, 0 failed\nthe process was killed\n', undefined],
    ['tests: 1 passed, 0 failed', undefined],
    ['', undefined],
  ])('of %j', (output, counts) => {
    expect(countsOf(output)).toEqual(counts);
  });

  test.each([
    { passed: 3, failed: 1 },
    { passed: 0, failed: 0, skipped: 2 },
  ])('as text: %j', (counts) => {
    expect(countsOf(countsText(counts))).toEqual(counts);
  });

  test('of skipped tests, by reason', () => {
    expect(skippedLines(['a', 'b', 'a'])).toEqual(['2 skipped: a', '1 skipped: b']);
  });
});

describe('steps', () => {
  const commandOf = (text) => `"${process.execPath}" "${fileOf(text)}"`;
  const prints = (text, code = 0) => commandOf(`console.log(${JSON.stringify(text)}); process.exitCode = ${code};`);
  const tests = (text, code) => ({ command: prints(text, code), hasTests: true });
  const preparing = (text, code) => ({ command: prints(text, code), hasTests: false });
  const oneByOne = (steps) => steps.map((step) => [[step]]);

  async function outputOf(stages) {
    let output = '';
    const failed = await runSteps(stages, {
      cwd: folder,
      write: (text) => {
        output += text;
      },
    });
    expect(output.endsWith('\n')).toBe(true);
    expect(countsOf(output).failed).toBe(failed);
    return output.split('\n').slice(0, -1);
  }

  const lastLineOf = async (stages) => (await outputOf(stages)).at(-1);

  test.each([
    ['all pass', [tests('4 passed, 0 failed'), tests('3 passed, 0 failed, 9 skipped')], '7 passed, 0 failed'],
    ['some fail', [tests('4 passed, 2 failed', 1), tests('3 passed, 1 failed', 1)], '7 passed, 3 failed'],
    ['a step fails without a failed test', [tests('4 passed, 0 failed', 1)], '4 passed, 1 failed'],
    ['a step prints no counts', [tests('killed'), tests('3 passed, 0 failed')], '3 passed, 1 failed'],
    ['a step cannot start', [{ command: 'no-such-command-here', hasTests: true }], '0 passed, 1 failed'],
  ])('%s', async (_name, steps, line) => {
    const first = preparing('added 1 package');
    expect(await lastLineOf([[[first]], steps.map((step) => [step])])).toBe(line);
  });

  test('failed tests of either output are named again at the end', async () => {
    const printed = '  ✖ subtracts (1ms)\n ✓ works\n0 passed, 2 failed';
    const command = commandOf(`console.error('\\u001b[31m FAIL \\u001b[39m a.test.ts > adds\\n\\nError: 1 is not 2\\n');
      console.log(${JSON.stringify(printed)}); process.exitCode = 1;`);
    const lines = await outputOf(oneByOne([{ command, hasTests: true }, tests('1 passed, 0 failed')]));
    const [first, second, ofStep] = lines.slice(-5);
    expect([first, second]).toEqual(['✖ subtracts (1ms)', 'FAIL  a.test.ts > adds: Error: 1 is not 2']);
    expect(ofStep.startsWith(`${command} (`)).toBe(true);
    expect(ofStep.endsWith('): 0 passed, 2 failed')).toBe(true);
  });

  test('a step without tests that fails leaves out those after it', async () => {
    const [fails, after] = [preparing('5 passed, 0 failed', 1), tests('3 passed, 0 failed')];
    expect(await lastLineOf(oneByOne([fails, after]))).toBe('0 passed, 1 failed');
    expect(await lastLineOf([[[fails, after]]])).toBe('0 passed, 1 failed');
    expect(await lastLineOf([[[fails], [after]], [[after]]])).toBe('3 passed, 1 failed');
  });

  /** A program that waits until another one has written its own file. */
  const meeting = (own, other) =>
    commandOf(`import { existsSync, writeFileSync } from 'node:fs';
      console.log('first ${own}');
      writeFileSync(${JSON.stringify(join(folder, own))}, '');
      const look = () => existsSync(${JSON.stringify(join(folder, other))}) ? end() : setTimeout(look, 5);
      const end = () => console.log('last ${own}\\n1 passed, 0 failed');
      look();`);

  test('lanes run side by side, and the output of each step is in one block', async () => {
    const lanes = [
      ['a', 'b'],
      ['b', 'a'],
    ].map((names) => [{ command: meeting(...names), hasTests: true }]);
    const lines = await outputOf([lanes]);
    expect(lines.at(-1)).toBe('2 passed, 0 failed');
    for (const name of ['a', 'b']) expect(lines[lines.indexOf(`first ${name}`) + 1]).toBe(`last ${name}`);
    const begins = lanes.map(([{ command }]) => lines.indexOf(`begins: ${command}`));
    expect(Math.max(...begins)).toBeLessThan(Math.min(lines.indexOf('first a'), lines.indexOf('first b')));
  });

  const noTimes = process.platform === 'win32';
  const MICROSECONDS = 300_000;

  test.skipIf(noTimes)('the time of processors has that of descendants', async () => {
    const works = `while (process.cpuUsage().user < ${MICROSECONDS});`;
    const spawns = `import { spawnSync } from 'node:child_process';
      spawnSync(process.execPath, ['-e', ${JSON.stringify(works)}]);`;
    const { isDone, processorSeconds } = await measured(wordsOf(commandOf(spawns)), { cwd: folder });
    expect(isDone).toBe(true);
    expect(processorSeconds).toBeGreaterThan(MICROSECONDS / 1_000_000);
    const lines = await outputOf([[[{ command: commandOf(spawns), hasTests: false }]]]);
    expect(lines.at(-2)).toMatch(/ \(\d+ s, \d+ s of processors\)$/);
  });

  test('the code and the outputs are those of the command', async () => {
    expect(await measured(wordsOf(prints('a', 3)), { cwd: folder })).toMatchObject({
      isDone: false,
      output: 'a\n',
      errors: '',
    });
  });
});

describe('the tests of engines', () => {
  const head = "import { after, before, describe, test } from 'node:test';\n";

  async function counted(text) {
    const events = run({ files: [fileOf(`${head}${text}`)], concurrency: false });
    const counts = counterOf(events);
    await new Promise((resolve) => events.on('end', resolve).resume());
    return counts();
  }

  test.each([
    ["test('a', () => {}); test('b', { skip: 'why' }, () => {});", { passed: 1, failed: 0, skipped: 1 }],
    ["test('a', () => { throw new Error(); }); test('b', () => {});", { passed: 1, failed: 1, skipped: 0 }],
    ["throw new Error('cannot be loaded');", { passed: 0, failed: 1, skipped: 0 }],
    [
      "test('a', () => {}); test('b', () => new Promise(() => setTimeout(process.exit, 200, 3)));",
      { passed: 1, failed: 1, skipped: 0 },
    ],
    [
      "describe('a', () => { before(() => { throw new Error(); }); test('b', () => {}); test('c', { skip: 'd' }, () => {}); });",
      { passed: 0, failed: 1, skipped: 0 },
    ],
    ["test('a', () => {}); after(() => { throw new Error(); });", { passed: 1, failed: 1, skipped: 0 }],
  ])('of %s', async (text, counts) => {
    expect(await counted(text)).toMatchObject(counts);
  });

  test.each([['--quick'], []])('are skipped on a machine without Java and Python, with %s', (...flags) => {
    const program = join(root, 'systems/engines/main.mjs');
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const { stdout, status } = spawnSync(process.execPath, [program, ...flags], {
      encoding: 'utf8',
      env: { ...env, PATH: folder, Path: folder },
    });
    const { passed, failed, skipped } = countsOf(stdout);
    expect({ passed, failed, status }).toEqual({ passed: 0, failed: 0, status: 0 });
    const reasons = [...stdout.matchAll(/^(\d+) skipped: (.*)$/gm)].map(([, count, reason]) => ({ count, reason }));
    expect(reasons.map(({ reason }) => reason).sort()).toEqual([
      'java is not installed',
      'python3 from 3.10 with venv is not installed',
    ]);
    expect(reasons.reduce((sum, { count }) => sum + Number(count), 0)).toBe(skipped);
    expect(skipped).toBeGreaterThan(20);
  });
});

describe('what engines need', () => {
  test.each([
    ['openjdk version "17.0.15" 2025-04-15', undefined],
    ['Picked up JAVA_TOOL_OPTIONS: -Xmx1g\nopenjdk version "21" 2023-09-19', undefined],
    ['java version "1.8.0_392"', 'java is version 8; Spark needs 17'],
    ['', 'java is not installed'],
  ])('Java: %j', (output, reason) => {
    expect(whyNotJava(output)).toBe(reason);
  });

  test.each([
    '\x1b[0m[ERROR] Plugin a:2.8 could not be resolved: Could not transfer artifact a:pom:2.8 from/to central: Unknown host',
    "WARNING: Retrying after connection broken by 'NewConnectionError(...)': /simple/pyspark/",
    'ERROR: HTTP error 403 while getting a.whl\nERROR: 403 Client Error: Forbidden for url: a',
    'ERROR: Could not find a version that satisfies the requirement pyspark==4.3.0 (from versions: none)',
    'npm error code ENOTFOUND',
    'npm error code E403',
    'TypeError: fetch failed',
    'error: failed to get `redis` as a dependency of package `claim v1.0.0`\n  download of config.json failed',
  ])('a registry that cannot be reached is a reason to skip: %s', (line) => {
    expect(whyUnreachable(`${line}\nmore`)).toBe(stripVTControlCharacters(line.split('\n').at(-1)).trim());
  });

  test.each([
    '[ERROR] Could not resolve dependencies: Could not find artifact a:jar:3.4.2222 in central',
    'ERROR: Could not find a version that satisfies the requirement pyspark==4.9 (from versions: 4.2.0, 4.3.0)',
    'OSError: [Errno 28] No space left on device',
    'npm error code ENOSPC',
    'npm error code ETARGET',
    '',
  ])('another failure is not: %j', (output) => {
    expect(whyUnreachable(output)).toBeUndefined();
  });
});
