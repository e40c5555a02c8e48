// map, combine and reduce: run side by side on parts of a stream, they write what one process writes.

import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { families } from '../../src/detectors/descriptions.js';
import { inLongForm } from '../support/form.js';
import { Random } from '../support/streams.js';
import { finished, mainPath, startFirstseen, temporaryFolder } from './support/command.js';
import { runCommand } from './support/runner.js';

let cwd = '';
const read = (name: string) => readFileSync(join(cwd, name));

/** Records with tabs and with bytes that are not UTF-8, lines without content, and records without a key. */
function records(count: number, keys: number, seed: number): Buffer {
  const random = new Random(seed);
  const lines = Array.from({ length: count }, (_, i) => {
    if (i % 97 === 0) return Buffer.from('\n');
    if (i % 89 === 0) return Buffer.from('{"id":""}\n');
    return Buffer.concat([
      Buffer.from(`{"id":${random.below(keys)},\t"n":"${i} `),
      Buffer.of(0xff, 0x80),
      Buffer.from('"}\n'),
    ]);
  });
  return Buffer.concat(lines);
}

interface Phase {
  args: readonly string[];
  input?: Buffer;
  env?: Record<string, string>;
}

async function phase({ args, input, env }: Phase): Promise<Buffer> {
  const limit = ['reduce', 'combine'].includes(args[0] ?? '') ? [] : ['--max-record', '64KiB'];
  const { code, stderr, stdout } = await runCommand([...args, ...limit], {
    cwd,
    stdin: input ? [input] : [],
    ...(env ? { env } : {}),
  });
  expect([code, stderr]).toEqual([0, '']);
  return stdout;
}

/** Lines sorted by their bytes. */
function sorted(...parts: readonly Buffer[]): Buffer[] {
  const lines: Buffer[] = [];
  for (const part of parts) {
    for (let from = 0; from < part.length; ) {
      const end = part.indexOf(0x0a, from) + 1 || part.length;
      lines.push(part.subarray(from, end));
      from = end;
    }
  }
  return lines.sort(Buffer.compare);
}

const partitionOf = (line: Buffer) => Number(line.subarray(0, 4).toString());
const withoutPosition = (line: Buffer) => line.subarray(line.indexOf('\t') + 1);

/** The lines of the elements by reducer, as an engine deals them out. */
function dealt(lines: readonly Buffer[], reducers: number): Buffer[] {
  return Array.from({ length: reducers }, (_, reducer) =>
    Buffer.concat(lines.filter((line) => partitionOf(line) % reducers === reducer)),
  );
}

const order = ['--input-order', 'order'];
const shared = (algorithm: string, partitions: number) => [
  ...['-a', algorithm, '-m', '64KiB', '--partitions', String(partitions)],
  ...['-f', 'ndjson', '-k', 'id'],
];

beforeEach(() => {
  cwd = temporaryFolder();
  writeFileSync(join(cwd, '1'), records(4000, 1500, 1));
  writeFileSync(join(cwd, '2'), records(4000, 2500, 2));
  writeFileSync(join(cwd, 'order'), '/data/1\nhdfs://host:9/data/2\n');
});

/** The elements of both files, each file in two splits as Hadoop makes them. */
async function mapped(flags: readonly string[]): Promise<Buffer[]> {
  const outputs: Buffer[] = [];
  for (const name of ['1', '2']) {
    const bytes = read(name);
    const middle = Math.floor(bytes.length / 2);
    // The first split takes the line that begins at its end or before.
    const border = bytes.indexOf(0x0a, middle) + 1;
    for (const [start, part] of [
      [0, bytes.subarray(0, border)],
      [middle, bytes.subarray(border)],
    ] as const) {
      const env = { mapreduce_map_input_file: `file:/data/${name}`, mapreduce_map_input_start: String(start) };
      outputs.push(await phase({ args: ['map', ...flags, ...order], input: part, env }));
    }
  }
  return outputs;
}

const outputKinds: readonly string[] = ['distinct', 'duplicates', 'verdicts', 'all'];

/** All kinds of outputs in the long form, and one of them in the short form. */
function emitted(first: number): readonly string[] {
  return inLongForm(
    outputKinds,
    outputKinds.filter((_, i) => i === first),
  );
}

describe('map and reduce', () => {
  test.each([
    ['qht', 16, 5, emitted(0)],
    ['bloom', 4, 1, emitted(1)],
    ['rlbsbf', 8, 3, emitted(2)],
    ['dsqf', 4, 2, emitted(3)],
    ['exact', 4, 2, emitted(2)],
    ['sbf', 1, 1, emitted(1)],
  ] as const)(
    '%s with %i partitions on %i reducers answers as one process',
    async (algorithm, partitions, reducers, emits) => {
      const flags = shared(algorithm, partitions);
      const elements = sorted(...(await mapped(flags)));
      expect(elements).toHaveLength(8000);
      for (const emit of emits) {
        const whole = await phase({ args: ['1', '2', ...flags, '--no-witness', '--emit', emit] });
        const args = ['reduce', ...flags, '--keep-position', '--emit', emit];
        const reduced = await Promise.all(dealt(elements, reducers).map((input) => phase({ args, input })));
        const found = Buffer.concat(sorted(...reduced).map(withoutPosition));
        expect(found.equals(whole), emit).toBe(true);
      }
    },
  );

  test.each([
    ['an escape', (i: number) => `${i}|a\\|${i % 700}|"x\n`, ['--delimiter', '|', '--quote', 'none', '--escape', '\\']],
    ['quotes', (i: number) => `${i};'a;${i % 700}'\n`, ['--delimiter', ';', '--quote', "'"]],
    ['tabs', (i: number) => `${i}\ta${i % 700}\n`, ['--delimiter', 'tab']],
  ])('csv with %s is answered as by one process', async (_, row, dialect) => {
    for (const name of ['1', '2'])
      writeFileSync(join(cwd, name), Array.from({ length: 2000 }, (__, i) => row(i)).join(''));
    const records = ['-f', 'csv', '-k', '2', ...dialect];
    const flags = ['-a', 'qht', '-m', '64KiB', '--partitions', '4', ...records];
    const elements = sorted(...(await mapped([...flags, '--no-header'])));
    const whole = await phase({ args: ['1', '2', ...flags, '--no-header', '--no-witness'] });
    expect(whole.toString().trimEnd().split('\n').length).toBe(700);
    const args = ['reduce', ...flags, '--keep-position'];
    const reduced = await Promise.all(dealt(elements, 2).map((input) => phase({ args, input })));
    expect(Buffer.concat(sorted(...reduced).map(withoutPosition)).equals(whole)).toBe(true);
  });

  test('a split has the positions of its file, after those of the splits before', async () => {
    const outputs = await mapped(shared('qht', 4));
    const positions = outputs.map((output) =>
      output
        .toString('latin1')
        .split('\n')
        .filter(Boolean)
        .map((line) => line.slice(5, 23)),
    );
    expect(positions.flat()).toEqual(positions.flat().toSorted());
    expect(new Set(positions.flat()).size).toBe(8000);
    expect(positions.map((those) => those[0]?.slice(0, 6))).toEqual(['000000', '000000', '000001', '000001']);
  });

  test.each([
    ['apbf', 8],
    ['apbf', 1],
    ['exact', 8],
  ])('%s with a window of 20 minutes by the times of records, in %i partitions', async (algorithm, partitions) => {
    const random = new Random(7);
    for (const [block, name] of ['1', '2', '3'].entries()) {
      const lines = Array.from({ length: 4000 }, (_, i) => {
        if (i % 97 === 0) return `{"n":${i}}`;
        // Every second has two records, and some come up to ten minutes late.
        const time = 1_700_000_000 + 2000 * block + i / 2 - (i % 5 === 0 ? random.below(600) : 0);
        return `{"id":${random.below(1500)},"t":${time},"n":${i}}`;
      });
      writeFileSync(join(cwd, name), `${lines.join('\n')}\n`);
    }
    const flags = [...shared(algorithm, partitions), '--window', '20m', '--time-key', 't'];
    const passing = ['--missing-key', 'distinct'];
    await phase({ args: ['1', ...flags, ...passing, '--no-witness', '--state', 'one', '-o', 'first'] });
    await phase({ args: ['2', ...flags, ...passing, '--state', 'one', '-o', 'second'] });
    const blocks: Buffer[] = [];
    for (const [block, name] of ['1', '2'].entries()) {
      const elements = sorted(await phase({ args: ['map', ...flags, ...passing, name] }));
      const states = block === 0 ? [] : ['--states', 'states0'];
      const args = ['reduce', ...flags, '--keep-position', ...states, '--states-to', `states${block}`];
      const reduced = await Promise.all(
        dealt(elements, Math.min(3, partitions)).map((input) => phase({ args, input })),
      );
      blocks.push(Buffer.concat(sorted(...reduced).map(withoutPosition)));
    }
    expect(blocks.map((output, i) => output.equals(read(i === 0 ? 'first' : 'second')))).toEqual([true, true]);
    const untimed = await phase({ args: ['1', ...shared('exact', partitions), ...passing, '--no-witness'] });
    expect(untimed.length).toBeLessThan(read('first').length);
    const [only] = readdirSync(join(cwd, 'states1')).filter(() => partitions === 1);
    if (only === undefined) expect((await runCommand(['merge', 'states1', '-o', 'merged'], { cwd })).code).toBe(0);
    const after = only === undefined ? 'merged' : join('states1', only);
    const [merged, one] = await Promise.all(
      [after, 'one'].map((state) => phase({ args: ['3', ...flags, ...passing, '--state', state] })),
    );
    expect((merged as Buffer).equals(one as Buffer)).toBe(true);
    expect(one?.length).toBeGreaterThan(0);
  });

  test('reducers save their partitions, go on with them, and the merged state is that of one process', async () => {
    const flags = shared('qht', 8);
    await phase({ args: ['1', ...flags, '--no-witness', '--state', 'one', '-o', 'first'] });
    await phase({ args: ['2', ...flags, '--state', 'one', '-o', 'second'] });
    const blocks: Buffer[] = [];
    for (const [block, name] of ['1', '2'].entries()) {
      const elements = sorted(await phase({ args: ['map', ...flags, name] }));
      const states = block === 0 ? [] : ['--states', 'states0'];
      const args = ['reduce', ...flags, '--keep-position', ...states, '--states-to', `states${block}`];
      const reduced = await Promise.all(dealt(elements, 3).map((input) => phase({ args, input })));
      blocks.push(Buffer.concat(sorted(...reduced).map(withoutPosition)));
    }
    expect(blocks).toEqual([read('first'), read('second')]);
    await runCommand(['merge', 'states1', '-o', 'merged'], { cwd });
    writeFileSync(join(cwd, '3'), records(4000, 4000, 3));
    const [goneOn, whole] = await Promise.all(
      ['merged', 'one'].map((state) => phase({ args: ['3', ...flags, '--state', state] })),
    );
    expect(goneOn).toEqual(whole);
  });
});

test('a reduce task lists the states that it wrote, also when it wrote none', async () => {
  const flags = shared('exact', 16);
  const elements = Buffer.concat(sorted(await phase({ args: ['map', ...flags, '1'] })));
  const written = ['--states-to', 'states', '--states-list', 'states/list'];
  await phase({ args: ['reduce', ...flags, ...written], input: elements });
  const names = readdirSync(join(cwd, 'states')).filter((name) => name.endsWith('.partition'));
  expect(names).toHaveLength(16);
  expect(read('states/list').toString()).toBe([...names.sort(), '16', ''].join('\n'));
  await phase({ args: ['reduce', ...flags, '--states-to', 'none', '--states-list', 'none/list'] });
  expect(read('none/list').toString()).toBe('0\n');
});

describe('combine', () => {
  const combinable = families.filter(({ ignoresRepeats }) => ignoresRepeats).map(({ name }) => name);

  test.each(combinable)('%s has the same output when repeats were dropped', async (algorithm) => {
    const flags = shared(algorithm, 4);
    const outputs = (await mapped(flags)).map((output) => Buffer.concat(sorted(output)));
    const combined = await Promise.all(outputs.map((input) => phase({ args: ['combine', '-a', algorithm], input })));
    const again = await phase({ args: ['combine', '-a', algorithm], input: Buffer.concat(sorted(...combined)) });
    const whole = sorted(...outputs);
    const kept = sorted(again);
    expect(kept.length).toBeLessThan(0.7 * whole.length);
    const results = [whole, kept].map((lines) => phase({ args: ['reduce', ...flags], input: Buffer.concat(lines) }));
    const [from, fromKept] = await Promise.all(results);
    expect(fromKept).toEqual(from);
  });

  test('is refused for other families, unless other answers are allowed', async () => {
    const refused = await runCommand(['combine', '-a', 'qht'], { cwd });
    expect([refused.code, refused.stderr]).toEqual([
      2,
      'firstseen: without its repeats, a stream gives other answers with qht; choose exact or bloom, leave combine out, or allow other answers with --approximate [E_USAGE]\n',
    ]);
    const windowed = await runCommand(['combine', '-a', 'exact', '--window', '100'], { cwd });
    expect(windowed.stderr).toContain('other answers with exactwindow');
    expect(await phase({ args: ['combine', '-a', 'qht', '--approximate'] })).toEqual(Buffer.alloc(0));
  });
});

describe('refusals', () => {
  const flags = shared('qht', 4);
  const refusal = async (args: readonly string[], input: string | Buffer = '') => {
    const { code, stderr } = await runCommand(args, { cwd, stdin: [Buffer.from(input)] });
    return `${code} ${stderr}`;
  };

  test('elements that are not in order', async () => {
    const elements = sorted(...(await mapped(flags)));
    const swapped = Buffer.concat([elements[1] as Buffer, elements[0] as Buffer, ...elements.slice(2)]);
    const twice = Buffer.concat([elements[0] as Buffer, ...elements]);
    const last = elements.at(-1) as Buffer;
    const apart = Buffer.concat([...elements, elements[0] as Buffer]);
    expect(partitionOf(last)).toBe(3);
    for (const command of [
      ['reduce', ...flags],
      ['combine', '-a', 'exact'],
    ]) {
      expect(await refusal(command, swapped)).toMatch(
        /^1 firstseen: standard input, line 2: the position .* \[E_ORDER\]\n$/,
      );
      expect(await refusal(command, twice)).toMatch(
        /^1 firstseen: standard input, line 2: the position .* \[E_ORDER\]\n$/,
      );
      expect(await refusal(command, apart)).toMatch(/partition 0 do not follow one another; .* \[E_ORDER\]\n$/);
    }
  });

  test('elements with times where there are to be none, and the other way round', async () => {
    const timed = [...shared('apbf', 4), '--window', '1h', '--time-key', 't'];
    const [without, time] = [`0001\t${'0'.repeat(18)}\t${'-'.repeat(16)}`, `@${'-'.repeat(16)}`];
    expect(await refusal(['reduce', ...timed], `${without}\trecord\n`)).toContain('fingerprint and time');
    expect(await refusal(['reduce', ...flags], `${without}${time}\trecord\n`)).toContain('[E_RECORD]');
    expect(await refusal(['reduce', ...timed.slice(0, -2)], `${without}\trecord\n`)).toContain('give --time-key');
  });

  test('lines that are not elements', async () => {
    const line = '0001\t000000000000000000\t00000000000000aa\trecord\n';
    const next = line.replace('0\t0000', '1\t0000');
    for (const wrong of [
      'record\n',
      next.slice(1),
      next.replace('aa', 'ag'),
      next.replace('0001', '000a'),
      next.replaceAll('\t', ' '),
    ]) {
      expect(await refusal(['combine', '-a', 'exact'], line + wrong)).toMatch(
        /^1 firstseen: standard input, line 2: .*; give the lines that firstseen map writes \[E_RECORD\]\n$/,
      );
    }
    expect(await refusal(['combine', '-a', 'exact'], line.slice(0, -1))).toContain('the input ends inside a line');
    expect(await refusal(['reduce', ...flags], line.replace('0001', '0002'))).toContain('[E_PARTITION]');
    expect(await refusal(['reduce', ...flags], line.replace('0001', '0004'))).toContain('there is no partition 4 of 4');
  });

  test('what elements cannot carry', async () => {
    expect(await refusal(['map', '-f', 'csv', '--no-header', '-k', '1'], '"a\nb",1\n')).toContain('[E_RECORD]');
    expect(await refusal(['map', '-f', 'csv', '-k', '1'], 'a,b\n')).toContain('give --no-header');
    expect(await refusal(['map', '--on-error', 'pass'])).toContain('choose fail or drop');
    for (const task of ['map', 'reduce']) {
      expect(await refusal([task, '-f', 'u64'])).toContain('binary records are not lines');
      expect(await refusal([task, '-f', 'nul'])).toContain('the lines of elements end with newlines');
    }
    expect(await refusal(['map', '--window', '1h'])).toContain('give --time-key, or a number of elements');
  });

  test('a carriage return in a task of Hadoop, which would end the line there', async () => {
    const input = [Buffer.from('a\r\nb\rc\n')];
    const env = { mapreduce_task_attempt_id: 'attempt_1_0001_m_000000_0' };
    const { code, stderr } = await runCommand(['map'], { cwd, env, stdin: input });
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(
        /^firstseen: standard input, line 1: the record has .*a carriage return in it, .*remove.* \[E_RECORD\]\n$/,
      ),
    ]);
    const elements = await phase({ args: ['map'], input: input[0] as Buffer });
    const reduced = await phase({ args: ['reduce'], input: elements });
    expect(reduced.toString()).toBe('a\r\nb\rc\n');
  });

  test.each([
    ['lines', 'a\nb\nc\rd\n', '3: the record has a newline or a carriage return in it'],
    ['csv', 'a,1\nb,2\n\nc,"3\n4"\n', '4: the record has a newline or a carriage return in it'],
    ['ndjson', '{"id":1}\n{"id":\n', '2: '],
  ])('a record in %s of which an error names the file and the line', async (format, text, problem) => {
    const keys = { lines: [], csv: ['-k', '1', '--no-header'], ndjson: ['-k', 'id'] }[format] as string[];
    const args = ['map', '-f', format, ...keys, ...order];
    const task = { mapreduce_task_attempt_id: 'attempt_1', mapreduce_map_input_file: 'file:/data/2' };
    const stderrOf = async (env: Record<string, string>) =>
      (await runCommand(args, { cwd, env, stdin: [Buffer.from(text)] })).stderr;
    expect(await stderrOf(task)).toMatch(`firstseen: file:/data/2, line ${problem}`);
    const split = { ...task, mapreduce_map_input_start: '300000' };
    expect(await stderrOf(split)).toMatch(`firstseen: file:/data/2, from byte 300000, line ${problem}`);
  });

  test('a task of Hadoop whose file has no number', async () => {
    const env = { mapreduce_map_input_file: 'file:/data/3' };
    const without = await runCommand(['map'], { cwd, env });
    expect([without.code, without.stderr]).toEqual([2, expect.stringContaining('--input-order is missing')]);
    const other = await runCommand(['map', ...order], { cwd, env });
    expect([other.code, other.stderr]).toEqual([1, expect.stringContaining('order does not list file:/data/3')]);
  });

  test('states of other settings, or none', async () => {
    const elements = Buffer.concat(sorted(await phase({ args: ['map', ...flags, '1'] })));
    await phase({ args: ['reduce', ...flags, '--states-to', 'states'], input: elements });
    const before = readdirSync(join(cwd, 'states')).map((name) => read(join('states', name)));
    expect(await refusal(['reduce', ...flags, '--seed', '1', '--states', 'states'], elements)).toContain(
      'seed is 0 in the state, not 1; use the same settings, or give another --states [',
    );
    expect(await refusal(['reduce', ...flags.slice(0, -2), '--states', 'states'], elements)).toContain(
      '[E_STATE_DIFFERS]',
    );
    mkdirSync(join(cwd, 'empty'));
    expect(await refusal(['reduce', ...flags, '--states', 'empty'], elements)).toContain('there is no state');
    expect(readdirSync(join(cwd, 'states')).map((name) => read(join('states', name)))).toEqual(before);
  });

  test.runIf(process.platform === 'linux')('a full disk', async () => {
    const elements = Buffer.concat(sorted(await phase({ args: ['map', ...flags, '1'] })));
    for (const [args, input] of [
      [['map', ...flags], read('1')],
      [['combine', '-a', 'exact'], elements],
      [['reduce', ...flags, '--states-to', 'full'], elements],
    ] as const) {
      const full = openSync('/dev/full', 'w');
      try {
        const result = spawnSync(process.execPath, [mainPath, ...args], { cwd, input, stdio: ['pipe', full, 'pipe'] });
        expect([result.status, result.stderr.toString()]).toEqual([1, expect.stringContaining('[E_OUTPUT]')]);
      } finally {
        closeSync(full);
      }
    }
  });

  test('an output that is closed before its end, after which no state is saved', async () => {
    const elements = Buffer.concat(sorted(await phase({ args: ['map', ...flags, '1'] })));
    const child = startFirstseen(['reduce', ...flags, '--emit', 'all', '--states-to', 'closed'], { cwd });
    child.stdout.destroy();
    child.stdin.end(elements);
    const { code, stderr } = await finished(child);
    expect([code, stderr]).toEqual([1, expect.stringContaining('standard output was closed before its end')]);
    expect(readdirSync(cwd)).not.toContain('closed');
  });
});
