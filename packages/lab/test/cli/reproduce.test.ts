// `firstseen lab reproduce` and `firstseen lab advise`, over short streams.

import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runFirstseen, temporaryFolder } from '../../../firstseen/test/cli/support/command.js';
import { inLongForm } from '../../../firstseen/test/support/form.js';
import { runLab } from '../support/command.js';

/** Of the file that is advised on. */
const RECORDS = inLongForm(20_000, 6000);
const DISTINCT = 3000;

const lab = (cwd: string, ...args: string[]) => runLab(args, { cwd });

describe('lab reproduce', () => {
  test('lists every table and figure', async () => {
    const { stdout } = await lab(temporaryFolder(), 'reproduce', '--list');
    for (const name of [
      'plane-uniform',
      'plane-recency',
      'bera-1',
      'bera-figure-11',
      'dutta2012-5',
      'dutta2012-figure-8',
      'deng-2',
      'deng-figure-4',
      'sqf-3',
      'sqf-figure-5',
    ]) {
      expect(stdout).toMatch(new RegExp(`^${name} `, 'm'));
    }
  });

  test('shows published and measured rates, keeps the results, and writes the report', async () => {
    const cwd = temporaryFolder();
    const args = [
      'reproduce',
      'dutta2012-2',
      'deng-figure-1',
      '--scale',
      '1/1024',
      '--output',
      'results',
      '--report',
      'report',
    ];
    const first = await lab(cwd, ...args);
    expect(first.stderr).toBe('');
    expect(first.stdout).toMatch(/^2KB +sbf +10\.1 .*reproduced: FPR/m);
    expect(first.stdout).toMatch(/^512KB +rsbf +.*differs: /m);
    const path = join(cwd, 'results/results.jsonl');
    const { size } = statSync(path);
    expect(readFileSync(path, 'utf8').trimEnd().split('\n')).toHaveLength(12 + 5);
    const second = await lab(cwd, ...args);
    expect(second.stdout).toBe(first.stdout);
    expect(statSync(path).size).toBe(size);
    const report = readFileSync(join(cwd, 'report/report.md'), 'utf8');
    expect(report).toContain('rsbf-k3/2KB');
    const page = readFileSync(join(cwd, 'report/report.html'), 'utf8');
    expect(page).toContain('lab reproduce --row dutta2012-2/rsbf-k3/2KB --scale 1/1024');
    expect(readdirSync(join(cwd, 'report/plots')).sort()).toEqual([
      'deng-figure-1.svg',
      'dutta2012-2-fnr-memory.svg',
      'dutta2012-2-fnr.svg',
      'dutta2012-2-fpr-memory.svg',
      'dutta2012-2-fpr.svg',
    ]);
  });

  test('the report has the command that repeats exactly its rows', async () => {
    const cwd = temporaryFolder();
    const row = ['--row', 'dutta2012-2/sbf/2KB', '--scale', '1/1024', '--seeds', '2'];
    await lab(cwd, 'reproduce', ...row, '--report', 'report');
    const report = readFileSync(join(cwd, 'report/report.md'), 'utf8');
    expect(report).toMatch(/To repeat everything:\n\n```sh\nnpx firstseen lab reproduce (.*)\n```\n$/);
    expect(/everything:\n\n```sh\nnpx firstseen lab reproduce (.*)\n```\n$/.exec(report)?.[1]).toBe(row.join(' '));
  });

  test.each(['--report', '--output'])('an empty %s is refused', async (flag) => {
    const { stderr, code } = await lab(temporaryFolder(), 'reproduce', '--row', 'deng-figure-2/large', flag, '');
    expect({ stderr, code }).toMatchObject({
      stderr: expect.stringContaining('the folder "" cannot be created'),
      code: 1,
    });
  });

  test.each(['--report', '--output'])(
    'a folder for %s that cannot be created is refused before any run',
    async (flag) => {
      const cwd = temporaryFolder();
      writeFileSync(join(cwd, 'file'), '');
      const { stdout, stderr, code } = await lab(cwd, 'reproduce', '--row', 'deng-figure-2/large', flag, 'file');
      expect({ stdout, code }).toEqual({ stdout: '', code: 1 });
      expect(stderr).toMatch(
        /^firstseen: the folder "file.*" cannot be created: .*; give another folder \[E_OUTPUT\]$/m,
      );
    },
  );

  test('repeats one row with the command that is printed under it, at full scale', async () => {
    const { stdout } = await lab(temporaryFolder(), 'reproduce', '--row', 'dutta2012-2/sbf/2KB', '--full');
    expect(stdout).toMatch(/^2KB +sbf /m);
    expect(stdout).not.toContain('rsbf');
    expect(stdout).toContain('lab reproduce --row dutta2012-2/sbf/2KB --full');
  });

  test('says which rows cannot be repeated, and why', async () => {
    const { stdout } = await lab(temporaryFolder(), 'reproduce', '--row', 'sqf-1-R1/sbf/1KB');
    expect(stdout).toContain('not reproducible: the data set R1 is not included; give a copy with --data R1=PATH');
  });

  test.each([
    [['reproduce', 'bera-12'], 'no table is named "bera-12"; name one of plane-uniform, plane-recency, bera-1, '],
    [['reproduce', '--row', 'bera-4/none'], '--row is "bera-4/none", but no table has that row'],
    [['reproduce', 'bera-4', '--row', 'bera-4/sbf/64MB'], '--row names its table itself; leave the table names out'],
    [['reproduce', '--full', '--scale', '1/2'], '--full and --scale exclude each other'],
    [['reproduce', '--list', '--scale', '1/2'], '--scale has no effect together with --list'],
    [['reproduce', '--report', 'r', '--list'], '--report has no effect together with --list'],
    [['reproduce', '--list', 'bera-4'], '--list takes no table names'],
    [
      ['reproduce', 'bera-4', '--data', 'R2=x.txt'],
      '--data R2 has no effect, because no requested table uses R2; leave it out',
    ],
    [['reproduce', '--data', 'R9=x.txt'], '--data names the data set "R9", which no table uses; name one of R1, R2'],
    [['reproduce', '--data', 'R2'], '--data is "R2", but must be NAME=VALUE, such as R2='],
    [['reproduce', '--row', 'bera-4'], 'but no table has that row; name one of bera-4/'],
    [['reproduce', '--row', 'none'], 'but no table has that row; name a row such as bera-4/sbf/64MB, '],
    [['reproduce', '--scale', '1/3'], '--scale is "1/3", but must be 1, 1/2'],
    [['reproduce', '--scale', '0x1'], '--scale is "0x1", but must be 1, 1/2'],
  ])('refuses %j', async (args, message) => {
    const { stderr, code } = await lab(temporaryFolder(), ...args);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });
});

test('lab reproduce refuses a results file that does not exist, and does not change one that does', async () => {
  const cwd = temporaryFolder();
  const { stderr, code } = await lab(cwd, 'reproduce', 'deng-figure-2', '--also', 'none.jsonl');
  expect({ stderr, code }).toMatchObject({
    stderr: expect.stringContaining('the results file none.jsonl cannot be read'),
    code: 1,
  });
  expect(existsSync(join(cwd, 'none.jsonl'))).toBe(false);
  writeFileSync(join(cwd, 'torn.jsonl'), '{"spec":{');
  const row = ['--row', 'deng-figure-2/large', '--also', 'torn.jsonl'];
  expect(await lab(cwd, 'reproduce', ...row)).toMatchObject({ code: 0 });
  expect(readFileSync(join(cwd, 'torn.jsonl'), 'utf8')).toBe('{"spec":{');
});

describe('lab advise', () => {
  test('measures every family on a file and recommends one, with the command to use it', async () => {
    const cwd = temporaryFolder();
    const numbers = Array.from({ length: RECORDS }, (_, i) => (i * 7919) % DISTINCT);
    writeFileSync(join(cwd, 'ids.txt'), `${numbers.join('\n')}\n`);
    const { stdout, stderr } = await lab(
      cwd,
      'advise',
      'ids.txt',
      '--memory',
      '2KiB',
      '--format',
      'ids',
      '--report',
      'report',
    );
    expect(stderr).toBe('');
    for (const name of [
      'exact',
      'bloom',
      'sbf',
      'rsbf',
      'bsbf',
      'bsbfsd',
      'rlbsbf',
      'buffer',
      'fpbuffer',
      'sqf',
      'dsqf',
      'qht',
      'apbf',
    ]) {
      expect(stdout).toMatch(new RegExp(`^${name} +(classic|blocked) `, 'm'));
    }
    expect(stdout).toMatch(/^sqf, identifiers +classic /m);
    expect(stdout).toMatch(/^No structure of 2KiB that goes by .* has FPR \+ FNR below [\d.e-]+ %/m);
    expect(stdout).toMatch(/ {2}as predicted$/m);
    expect(stdout).not.toMatch(/reproduc|Paper/);
    expect(stdout.indexOf('To use it')).toBeLessThan(stdout.indexOf('algorithm'));
    expect(stdout).toMatch(/^To use it, with one identifier on each line:\n {2}npx firstseen /m);
    const command = /^sqf, identifiers, .* fewer errors: .* integers:\n {2}npx firstseen (.*)\n/m.exec(stdout)?.[1];
    expect(command).toBeDefined();
    const args = [...(command as string).matchAll(/"([^"]*)"|(\S+)/g)].map(
      ([, quoted, plain]) => quoted ?? plain ?? '',
    );
    writeFileSync(join(cwd, 'IDS.u64'), new Uint8Array(BigUint64Array.from(numbers, BigInt).buffer));
    const used = await runFirstseen([...args, '--stats=json'], { cwd });
    // The same result as measured: no errors.
    expect(JSON.parse(used.stderr)).toMatchObject({ records: RECORDS, distinct: DISTINCT });
    const report = readFileSync(join(cwd, 'report/report.md'), 'utf8');
    expect(report).not.toMatch(/reproduc|Paper/);
    expect(report.indexOf('Recommended: ')).toBeLessThan(report.indexOf('plots/advice.svg'));
    expect(report.indexOf('plots/advice.svg')).toBeLessThan(report.indexOf('| algorithm'));
    expect(report).toContain('npx firstseen lab advise ids.txt --format ids --memory 2KiB\n');
  });

  test('quotes file names in commands, and shows no rate for a stream without repeats', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, "a<b> & 'c'.txt"), 'one\ntwo\n');
    const { stdout } = await lab(
      cwd,
      'advise',
      "a<b> & 'c'.txt",
      '--memory',
      '1KiB',
      '--fpr',
      '0.1',
      '--report',
      'report',
    );
    expect(stdout).toMatch(/^To use it:\n {2}npx firstseen .* --format lines 'a<b> & '\\''c'\\''\.txt'$/m);
    expect(stdout).not.toContain('FNR % measured');
    const report = readFileSync(join(cwd, 'report/report.md'), 'utf8');
    expect(report).toContain("lab advise 'a<b> & '\\''c'\\''.txt' --format lines --memory 1KiB --fpr 0.1\n");
  });

  test('names a file that it cannot read', async () => {
    const { stderr, code } = await lab(temporaryFolder(), 'advise', 'none.txt');
    expect(code).toBe(1);
    expect(stderr).toContain('none.txt');
    const unnamed = await lab(temporaryFolder(), 'advise', '');
    expect(unnamed.stderr).toContain('but must be the path of a file');
  });
});
