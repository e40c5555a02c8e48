// engines/hadoop/run without Hadoop: what it refuses before it submits a job, and what it gives to Hadoop.

import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { flagsFor, flagsWithout, flagValue } from '../../engines/common/flags.mjs';
import { States } from '../../engines/common/states.mjs';
import { keysFile, rangeStarts } from '../../engines/hadoop/ranges.mjs';
import { optionRows } from '../../packages/firstseen/src/options/rows.ts';
import { coverOf, inLongForm, sampleNote, sampleOf, sampleUpTo } from '../../packages/firstseen/test/support/form.ts';

/** The flags of tasks that the engines give themselves. */
const ofScripts = ['--input-order', '--states'];

const program = join(import.meta.dirname, '../../engines/hadoop/run.mjs');
let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'firstseen-hadoop-test-'));
  mkdirSync(join(folder, 'in'));
  // In place of Hadoop, a program that notes its arguments, and one task without elements.
  writeFileSync(
    join(folder, 'submit.mjs'),
    `import { mkdirSync, writeFileSync } from 'node:fs';
const words = process.argv.slice(2);
writeFileSync(process.env.SUBMITTED, JSON.stringify(words));
const states = words[words.indexOf('-output') + 1].slice('file://'.length) + '/_states';
mkdirSync(states, { recursive: true });
writeFileSync(states + '/states-of-task-0', '0\\n');
`,
  );
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const write = (name, text = 'a\n') => writeFileSync(join(folder, name), text);
const detector = ['-a', 'qht', '-m', '64KiB', '--partitions', '4', '-f', 'lines'];

/** Runs the command; returns its exit code, its message, and the arguments with which it submits a job, if it does. */
function submit(args, { flags = detector, streaming = true, env = {} } = {}) {
  const submitted = join(folder, 'submitted.json');
  rmSync(submitted, { force: true });
  const how = streaming ? ['--streaming', `'${process.execPath}' '${join(folder, 'submit.mjs')}'`] : [];
  const { status, stderr } = spawnSync(process.execPath, [program, ...how, ...args, '--', ...flags], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, HADOOP_STREAMING_JAR: '', SUBMITTED: submitted, ...env },
  });
  return { status, stderr, job: existsSync(submitted) ? JSON.parse(readFileSync(submitted, 'utf8')) : undefined };
}

const inputsOf = (job) => job.flatMap((word, i) => (word === '-input' ? [job[i + 1].slice('file://'.length)] : []));

describe.skipIf(process.platform === 'win32')('inputs', () => {
  test('are files in the order of their paths, without those that Hadoop passes over', () => {
    mkdirSync(join(folder, 'in/deep'));
    for (const name of ['in/b', 'in/a c.gz', 'in/deep/ä%20', 'in/.hidden', 'in/_SUCCESS']) write(name);
    const { status, job } = submit(['--output', 'out', 'in']);
    expect([status, inputsOf(job)]).toEqual([
      0,
      ['in/a c.gz', 'in/b', 'in/deep/ä%20'].map((name) => join(folder, name)),
    ]);
    // The file of the ranges is removed after the job.
    expect(job.some((word) => word.includes('/_firstseen-'))).toBe(true);
    expect(readdirSync(folder).filter((name) => name.startsWith('_'))).toEqual([]);
  });

  const refused = [
    ['in/a[1]', 'takes such a path for a list or a pattern'],
    ['in/a,b', 'takes such a path for a list or a pattern'],
    ['in/a*', 'takes such a path for a list or a pattern'],
    ['in/a\nb', 'takes such a path for a list or a pattern'],
    ['in/a:b', 'does not take a colon'],
    ['in/c:d/a', 'does not take a colon'],
    ['in/a.bz2', 'divides bzip2 files'],
  ];
  test.each(coverOf(refused, ([, problem]) => [problem]))(`%j is refused${sampleNote}`, (name, problem) => {
    mkdirSync(join(folder, dirname(name)), { recursive: true });
    write(name);
    const { status, stderr, job } = submit(['--output', 'out', 'in']);
    expect([status, stderr, job]).toEqual([1, expect.stringContaining(problem), undefined]);
  });

  test.each([
    [['in/.hidden'], 'does not read files whose names begin with a dot'],
    [['in', 'in/a'], 'in/a is given twice; give each path once'],
    [['in', 'in2'], /cannot read .*in2: ENOENT.*; give files and folders that exist/],
    [['/dev/null'], 'neither a file nor a folder'],
  ])('%j are refused', (inputs, problem) => {
    write('in/a');
    write('in/.hidden');
    const { status, stderr, job } = submit(['--output', 'out', ...inputs]);
    const message = problem instanceof RegExp ? expect.stringMatching(problem) : expect.stringContaining(problem);
    expect([status, stderr, job]).toEqual([1, message, undefined]);
  });
});

describe.skipIf(process.platform === 'win32')('options', () => {
  beforeEach(() => write('in/a'));

  test.each([
    [['-D', 'a'], '-D a has no value; give it as -D NAME=VALUE'],
    [['-D', 'mapreduce.job.reduces=5'], 'give it as --reducers'],
    [['--reducers', '0'], 'give a whole number from 1'],
  ])('%j is refused', (args, problem) => {
    const { status, stderr, job } = submit(['--output', 'out', ...args, 'in']);
    expect([status, stderr, job]).toEqual([1, expect.stringContaining(problem), undefined]);
  });

  test('a property may have an equals sign and nothing', () => {
    const { job } = submit(['--output', 'out', '-D', 'a=b=c', '-D', 'd=', 'in']);
    expect(job).toEqual(expect.arrayContaining(['a=b=c', 'd=']));
  });

  test('without a command that submits jobs, it says how to give one', () => {
    const { stderr } = submit(['--output', 'out', 'in'], { streaming: false });
    expect(stderr).toBe(
      'firstseen-hadoop: HADOOP_STREAMING_JAR is not set; set it to the path of hadoop-streaming.jar, or give --streaming\n',
    );
  });

  test('--combine is refused for an algorithm whose name follows its letter directly', () => {
    const flags = ['-aqht', '-m64KiB', '-flines'];
    expect(submit(['--output', 'out', 'in'], { flags }).job).toContain('sh firstseen-reduce');
    const { stderr, job } = submit(['--output', 'out', '--combine', 'in'], { flags });
    expect([stderr, job]).toEqual([expect.stringContaining('choose exact or bloom'), undefined]);
  });
});

describe('flags', () => {
  test('of firstseen are known: those of each phase, and whether they have a value', () => {
    for (const { flag = '', kind, jobs } of optionRows) {
      const phases = ['map', 'combine', 'reduce'].filter((phase) => jobs.includes(phase));
      if (phases.length === 0 || ofScripts.some((name) => flag.includes(name))) continue;
      const [short, long = short] = flag.split(' ')[0] === flag ? [flag] : flag.match(/-[^ ,]+/g);
      for (const name of [short, long]) {
        const words = kind === 'presence' ? [name] : [name, 'value'];
        const found = phases.map((phase) => flagsFor(phase, [...words, '--next', '1']).slice(0, words.length));
        expect(found, name).toEqual(phases.map(() => words));
        const others = ['map', 'combine', 'reduce'].filter((phase) => !phases.includes(phase));
        expect(
          others.flatMap((phase) => flagsFor(phase, words)),
          name,
        ).toEqual([]);
      }
    }
  });

  test.skipIf(process.platform === 'win32')('--combine takes any algorithm with --approximate', () => {
    write('in/a');
    const flags = ['-a', 'sqf', '-m64KiB', '-flines'];
    const { stderr } = submit(['--output', 'out', '--combine', 'in'], { flags });
    expect(stderr).toContain('allow other answers with --approximate');
    const { status, job } = submit(['--output', 'out', '--combine', 'in'], { flags: [...flags, '--approximate'] });
    expect([status, job]).toEqual([0, expect.arrayContaining(['sh firstseen-combine'])]);
  });

  test.skipIf(process.platform === 'win32')('of firstseen are said to follow --', () => {
    const { status, stderr } = submit(['--approximate', '--output', 'out', 'in']);
    expect([status, stderr]).toEqual([
      1,
      "firstseen-hadoop: Unknown option '--approximate'; flags of firstseen follow --, and --help lists the options\n",
    ]);
  });

  const flags = ['-aqht', '--memory=4MiB', '--refresh', '-f', 'ndjson', '-k', 'id', '--emit=all', '--strict'];

  test.each([
    ['map', ['-aqht', '--memory=4MiB', '--refresh', '-f', 'ndjson', '-k', 'id', '--strict']],
    ['combine', ['-aqht', '--refresh']],
    ['reduce', ['-aqht', '--memory=4MiB', '--refresh', '-f', 'ndjson', '-k', 'id', '--emit=all']],
  ])('of %s', (phase, expected) => {
    expect(flagsFor(phase, flags)).toEqual(expected);
  });

  test('by name', () => {
    expect(flagValue(flags, '--algorithm', '-a')).toBe('qht');
    expect(flagValue(flags, '--format', '-f')).toBe('ndjson');
    expect(flagValue(flags, '--memory')).toBe('4MiB');
    expect(flagValue(['--partitions', '4', '--partitions=8'], '--partitions')).toBe('8');
    expect(flagValue(flags, '--partitions')).toBeUndefined();
    expect(flagsWithout(flags, ['--emit', '-k'])).toEqual([
      '-aqht',
      '--memory=4MiB',
      '--refresh',
      '-f',
      'ndjson',
      '--strict',
    ]);
  });
});

describe('ranges of partitions', () => {
  /** The number of partitions of each task, as Hadoop deals them out: by the number of starts that are not above the key. */
  function sizes(partitions, reducers) {
    const starts = rangeStarts(partitions, reducers);
    const counts = new Array(reducers).fill(0);
    for (let partition = 0; partition < partitions; partition++) {
      const key = `${String(partition).padStart(4, '0')}\t0`;
      counts[starts.filter((start) => start <= key).length]++;
    }
    return counts;
  }

  test.each([
    [1, 1],
    [64, 16],
    [64, 5],
    [4096, 100],
    [16, 31],
    [1, 3],
    [4096, 4096],
  ])('%i partitions for %i reduce tasks differ by one at most', (partitions, reducers) => {
    const found = sizes(partitions, reducers);
    const share = partitions / reducers;
    expect(found.every((size) => size === Math.floor(share) || size === Math.ceil(share))).toBe(true);
    const starts = rangeStarts(partitions, reducers);
    expect(new Set(starts).size).toBe(reducers - 1);
    expect(starts).toEqual(starts.toSorted());
  });

  test('are written as Hadoop reads them', () => {
    const file = keysFile(['0004', '0008']);
    const header = 'SEQ\x06\x19org.apache.hadoop.io.Text\x21org.apache.hadoop.io.NullWritable\x00\x00';
    const record = (key) => `\x00\x00\x00\x05\x00\x00\x00\x05\x04${key}`;
    expect(file.toString('latin1')).toBe(`${header}${'\x00'.repeat(20)}${record('0004')}${record('0008')}`);
  });
});

describe('states', () => {
  const input = (uri) => [{ uri, bytes: 1, modified: '1' }];

  function make() {
    const made = mkdtempSync(join(folder, 'made-'));
    for (const number of [0, 1]) writeFileSync(join(made, `${number}-of-2.partition`), `new ${number}`);
    return made;
  }

  /** The states, opened for a job that takes this input. */
  async function opened(uri) {
    const states = new States(join(folder, 'states'), { partitions: 2 });
    await states.open(input(uri), { again: false, make: async () => make() });
    return states;
  }

  /** A folder that two tasks wrote. The second one wrote the state of the second partition. */
  function written(uri, { list = '1-of-2.partition\n1\n' } = {}) {
    const made = mkdtempSync(join(folder, 'written-'));
    writeFileSync(join(made, '1-of-2.partition'), uri);
    writeFileSync(join(made, 'states-of-task-0'), '0\n');
    writeFileSync(join(made, 'states-of-task-1'), list);
    return made;
  }

  const commit = (states, uri) => states.commitFolder(written(uri), 2, input(uri));

  test('a job commits the states that it wrote, beside those of the partitions without elements', async () => {
    await commit(await opened('a'), 'a');
    const block = join(folder, 'states/000001');
    expect(readdirSync(block).sort()).toEqual(['0-of-2.partition', '1-of-2.partition', 'block.json']);
    expect(readFileSync(join(block, '0-of-2.partition'), 'utf8')).toBe('new 0');
    expect(readFileSync(join(block, '1-of-2.partition'), 'utf8')).toBe('a');
  });

  test.each([1, 2, 3, 4])('a job that ends after %i others is refused, and changes nothing', async (others) => {
    const late = await opened('late');
    for (let i = 0; i < others; i++) await commit(await opened(`input ${i}`), `input ${i}`);
    const before = readdirSync(join(folder, 'states'));
    await expect(commit(late, 'late')).rejects.toThrow('another job was committed');
    expect(readdirSync(join(folder, 'states'))).toEqual(before);
  });

  test.each([
    [
      'a list is missing',
      (made) => rmSync(join(made, 'states-of-task-1')),
      /which states the reduce tasks wrote: ENOENT/,
    ],
    [
      'the folder is missing',
      (made) => rmSync(made, { recursive: true }),
      /which states the reduce tasks wrote: ENOENT/,
    ],
    ['a state is missing', (made) => rmSync(join(made, '1-of-2.partition')), /ENOENT.*1-of-2.partition/],
    ['a list is empty', (made) => writeFileSync(join(made, 'states-of-task-1'), ''), /states-of-task-1 is not whole/],
    [
      'a list is cut off',
      (made) => writeFileSync(join(made, 'states-of-task-1'), '1-of-2.partition\n'),
      /states-of-task-1 is not whole; .*states is as it was before the job, so remove the output and run the job again/,
    ],
  ])('are refused and stay as they were when %s', async (_what, change, problem) => {
    const states = await opened('a');
    const made = written('a');
    change(made);
    await expect(states.commitFolder(made, 2, input('a'))).rejects.toThrow(problem);
    expect(readdirSync(join(folder, 'states'))).toEqual(['000000']);
    await commit(await opened('a'), 'a');
    expect(readFileSync(join(folder, 'states/000001/1-of-2.partition'), 'utf8')).toBe('a');
  });

  /** A command such as `hadoop fs`, for URIs that begin with fake: and are files of the test. Both shorten several slashes. */
  function fakeStorage() {
    const script = join(folder, 'fs.sh');
    const root = join(folder, 'fake');
    writeFileSync(
      script,
      `calls='${join(folder, 'calls')}'
echo "$1" >> "$calls"
if [ "$(wc -l < "$calls")" -eq "\${FAILING:-0}" ]; then exit 1; fi
command=$1
shift
for word in "$@"; do
  shift
  case $word in
    -*) continue ;;
    fake://*)
      # Without another process, because there are thousands of words.
      word='${root}'/"\${word#fake://}"
      while case $word in *//*) ;; *) false ;; esac do word=\${word%%//*}/\${word#*//}; done
      word=\${word%/}
      ;;
  esac
  set -- "$@" "$word"
done
case $command in
  -ls) [ -d "$1" ] || exit 1; ls "$1" | sed 's|^|fake://'"\${1#'${root}'/}"'/|' ;;
  -mkdir) mkdir -p "$@" ;;
  -mv) mv "$@" ;;
  -cp | -put | -get) cp -r "$@" ;;
  -rm) rm -rf "$@" ;;
esac
`,
    );
    return { fs: `sh '${script}'`, root };
  }

  // A command gets 200 paths at most.
  const partitions = inLongForm(4096, 401);
  test.skipIf(process.platform === 'win32')(`of ${partitions} partitions in another file system`, async () => {
    const { fs, root } = fakeStorage();
    const digits = String(partitions).length;
    const names = Array.from(
      { length: partitions },
      (_, i) => `${String(i).padStart(digits, '0')}-of-${partitions}.partition`,
    );
    const makeAll = () => {
      const made = mkdtempSync(join(folder, 'made-'));
      for (const name of names) writeFileSync(join(made, name), name);
      return made;
    };
    const states = new States('fake://host/states/', { partitions, fs });
    await states.open(input('a'), { again: false, make: async () => makeAll() });
    const first = await states.withFirst((local) => readdirSync(local));
    expect(first).toEqual([names[0]]);
    const attempts = states.attemptsFolder();
    const attempt = join(root, attempts.slice('fake://'.length), '7');
    mkdirSync(attempt, { recursive: true });
    writeFileSync(join(attempt, names[9]), 'changed');
    await states.commitAttempts(attempts, [['7', [9]]], input('a'));
    expect(readdirSync(join(root, 'host/states')).sort()).toEqual(['000000', '000001']);
    const block = join(root, 'host/states/000001');
    expect(readdirSync(block).sort()).toEqual([...names, 'block.json']);
    expect([8, 9].map((i) => readFileSync(join(block, names[i]), 'utf8'))).toEqual([names[8], 'changed']);
  });

  test.skipIf(process.platform === 'win32')(
    `no failing command leaves a job with old states${sampleNote}`,
    async () => {
      const { fs, root } = fakeStorage();
      const blocks = () => (existsSync(join(root, 'host/states')) ? readdirSync(join(root, 'host/states')) : []);
      const newest = (partition) => {
        const last = blocks()
          .filter((name) => /^[0-9]+$/.test(name))
          .sort()
          .at(-1);
        return readFileSync(join(root, 'host/states', last, `${partition}-of-2.partition`), 'utf8');
      };
      const openedThere = async (uri) => {
        const states = new States('fake://host/states', { partitions: 2, fs });
        await states.open(input(uri), { again: false, make: async () => make() });
        return states;
      };
      const job = async (uri, failing) => {
        rmSync(join(folder, 'calls'), { force: true });
        vi.stubEnv('FAILING', String(failing));
        const states = await openedThere(uri);
        const made = join(root, 'host', `output-${uri}`);
        mkdirSync(join(root, 'host'), { recursive: true });
        cpSync(written(uri), made, { recursive: true });
        await states.commitFolder(`fake://host/output-${uri}`, 2, input(uri));
      };
      try {
        await job('first', 0);
        const calls = readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n').length;
        const outcomes = new Set();
        let expected = 'first';
        for (const before of sampleUpTo(calls - 1, 4)) {
          const failing = before + 1;
          const uri = `job ${failing}`;
          const outcome = await job(uri, failing).then(
            () => 'committed',
            (error) => (/failed with exit code 1/.test(error.message) ? 'refused' : error),
          );
          outcomes.add(outcome);
          if (newest(1) === uri) expected = uri;
          expect([newest(0), newest(1)], outcome).toEqual(['new 0', expected]);
          if (outcome === 'committed') expect(newest(1)).toBe(uri);
        }
        expect(outcomes).toEqual(new Set(['refused', 'committed']));
      } finally {
        vi.unstubAllEnvs();
      }
    },
  );

  test('an attempt whose state is missing is refused, and changes nothing', async () => {
    const states = await opened('a');
    const attempts = states.attemptsFolder();
    await expect(states.commitAttempts(attempts, [['7', [1]]], input('a'))).rejects.toThrow('1-of-2.partition');
    expect(readdirSync(join(folder, 'states'))).toEqual(['000000']);
  });

  test.skipIf(process.platform === 'win32')('flags of another detector are refused before a job is submitted', () => {
    write('in/a');
    write('in/b');
    const args = ['--states', 'states'];
    expect(submit([...args, '--output', 'out', 'in/a']).status).toBe(0);
    const changes = [
      [['-a', 'bloom', ...detector.slice(2)], 'algorithm is qht in the state, not bloom'],
      [detector.with(3, '128KiB'), 'memory is 64KiB in the state, not 128KiB'],
      [[...detector, '--seed', '3'], 'seed is 0 in the state, not 3'],
      [detector.with(5, '8'), 'has 4 states, but there are 8 partitions'],
    ];
    for (const [flags, problem] of sampleOf(changes, 1)) {
      const { status, stderr, job } = submit([...args, '--output', 'out2', 'in/b'], { flags });
      expect([status, stderr, job]).toEqual([1, expect.stringContaining(problem), undefined]);
    }
    expect(submit([...args, '--output', 'out2', 'in/b']).job).toContain('sh firstseen-reduce');
  });
});
