// Submits deduplication to Hadoop Streaming: map tasks, a combiner if it is wanted, and reduce tasks. README.md describes it.

import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { flagsFor, flagsWithout, flagValue, shellWord } from './flags.mjs';
import { inputFiles, localPath, toUri } from './inputs.mjs';
import { States } from './states.mjs';

const repository = join(dirname(fileURLToPath(import.meta.url)), '../..');
const MOST_PARTITIONS = 4096;

const usage = `Usage: engines/hadoop/run [options] INPUT... --output DIR -- FLAGS

Deduplicates the inputs on Hadoop. Inputs are files and folders, by path or URI. FLAGS are those of firstseen: the detector, the
keys, and --emit and --keep-position for the output. --format is required.

Options:
  --output DIR          folder for the output; it must not exist
  --reducers N          number of reduce tasks (default: 1)
  --combine             drop repeats within each map task; with exact and bloom only
  --states DIR          go on with the partitions in this folder, and save them there
  --input-order FILE    a file that lists the inputs in the order of the stream (default: by path)
  --again               take inputs that the states have taken before
  -D NAME=VALUE         a property of Hadoop; repeatable
  --streaming COMMAND   submits a job (default: "hadoop jar $HADOOP_STREAMING_JAR")
  --fs COMMAND          lists files of other file systems (default: "hadoop fs")
  --firstseen COMMAND   runs firstseen on every node (default: the command of this repository)`;

/** Stops with a message of one line. */
class UsageError extends Error {}

function parsed(args) {
  const separator = args.indexOf('--');
  const own = separator === -1 ? args : args.slice(0, separator);
  const { values, positionals } = parseArgs({
    args: own,
    allowPositionals: true,
    options: {
      output: { type: 'string' },
      reducers: { type: 'string', default: '1' },
      combine: { type: 'boolean', default: false },
      states: { type: 'string' },
      'input-order': { type: 'string' },
      again: { type: 'boolean', default: false },
      define: { type: 'string', short: 'D', multiple: true, default: [] },
      streaming: { type: 'string', default: `hadoop jar ${process.env.HADOOP_STREAMING_JAR}` },
      fs: { type: 'string', default: 'hadoop fs' },
      firstseen: {
        type: 'string',
        default: `node ${shellWord(join(repository, 'packages/firstseen/bin/firstseen.js'))}`,
      },
      help: { type: 'boolean', default: false },
    },
  });
  return { ...values, inputs: positionals, flags: separator === -1 ? [] : args.slice(separator + 1) };
}

function checkOptions({ inputs, output, flags, combine, reducers, states }) {
  if (inputs.length === 0) throw new UsageError('no input was given; give files or folders');
  if (output === undefined) throw new UsageError('--output is missing; give a folder that does not exist');
  if (!/^[1-9][0-9]*$/.test(reducers)) throw new UsageError(`--reducers is ${reducers}; give a whole number from 1`);
  if (flagValue(flags, '--format', '-f') === undefined) {
    throw new UsageError('--format is missing; give it after --, because tasks do not see the names of the inputs');
  }
  // Reduce tasks write states to the folder of the output, from which the job's commit takes those of the tasks that succeeded.
  if (states !== undefined) localPath(output);
  const emit = flagValue(flags, '--emit');
  if (combine && emit !== undefined && emit !== 'distinct') {
    throw new UsageError(`--combine drops repeats, which --emit ${emit} needs; leave one of them out`);
  }
}

/** Runs a shell command; resolves to its output. Its messages go to standard error. */
function shell(command, { cwd, input = '' } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn('/bin/sh', ['-c', command], { cwd, stdio: ['pipe', 'pipe', 'inherit'] });
    const output = [];
    child.stdin.on('error', () => {});
    child.stdin.end(input);
    child.stdout.on('data', (chunk) => output.push(chunk));
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve(Buffer.concat(output).toString());
      else reject(new UsageError(`${command.split(' ').slice(0, 4).join(' ')} ... failed with exit code ${code}`));
    });
  });
}

/** The commands of the tasks, and a first run of each without input, which refuses wrong flags before the job is submitted. */
async function tasks({ firstseen, flags, combine, states }) {
  const command = (phase) => [firstseen, phase, ...flagsFor(phase, flags).map(shellWord)].join(' ');
  await shell(command('map'));
  await shell(command('reduce'));
  if (combine) await shell(command('combine'));
  const folders = states
    ? ` --states ${shellWord(states)} --states-to "\${mapreduce_task_output_dir#file:}/_states"`
    : '';
  return {
    map: `${command('map')} --input-order firstseen-order`,
    reduce: `${command('reduce')}${folders}`,
    ...(combine ? { combine: command('combine') } : {}),
  };
}

/** Writes the files that every task gets; returns the arguments that name them. */
function taskFiles(folder, commands, order) {
  const scripts = Object.entries(commands).map(([phase, command]) => {
    const path = join(folder, `firstseen-${phase}`);
    writeFileSync(path, `exec ${command}\n`);
    return path;
  });
  const list = join(folder, 'firstseen-order');
  writeFileSync(list, order.map((path) => `${path}\n`).join(''));
  return ['-files', [...scripts, list].map((path) => `file://${path}`).join(',')];
}

/**
 * The arguments of Hadoop Streaming. A line as a whole is a key, so lines are sorted by partition and position, and no line gets a
 * tab at its end. All lines of a partition go to one reducer.
 */
function jobArguments({ define, reducers, combine, output }, files, inputs) {
  const properties = {
    'mapreduce.job.name': 'firstseen',
    'mapreduce.job.reduces': reducers,
    'stream.map.output': 'keyonlytext',
    'stream.reduce.input': 'keyonlytext',
    'stream.reduce.output': 'keyonlytext',
    'mapreduce.partition.keypartitioner.options': '-k1,1',
    // Hadoop also ends a line at a carriage return unless it is told otherwise.
    'textinputformat.record.delimiter': '\n',
    ...Object.fromEntries(define.map((text) => [text.split('=')[0], text.slice(text.indexOf('=') + 1)])),
  };
  return [
    ...Object.entries(properties).flatMap(([name, value]) => ['-D', `${name}=${value}`]),
    ...files,
    ...['-partitioner', 'org.apache.hadoop.mapred.lib.KeyFieldBasedPartitioner'],
    ...inputs.flatMap(({ uri }) => ['-input', uri]),
    ...['-output', toUri(output)],
    ...['-mapper', 'sh firstseen-map', '-reducer', 'sh firstseen-reduce'],
    ...(combine ? ['-combiner', 'sh firstseen-combine'] : []),
  ];
}

async function run(options) {
  checkOptions(options);
  const { flags, streaming, output } = options;
  const inputs = await inputFiles(options, shell);
  const partitions = Number(flagValue(flags, '--partitions') ?? 1);
  if (!(partitions >= 1 && partitions <= MOST_PARTITIONS))
    throw new UsageError('--partitions is not a power of two up to 4096');
  const work = mkdtempSync(join(tmpdir(), 'firstseen-hadoop-'));
  try {
    const states = options.states === undefined ? undefined : new States(localPath(options.states), partitions);
    const before = await states?.open(inputs, {
      again: options.again,
      make: (folder) => newStates(options, folder, partitions),
    });
    const commands = await tasks({ ...options, states: before });
    const files = taskFiles(
      work,
      commands,
      inputs.map(({ uri }) => uri),
    );
    const cwd = join(work, 'job');
    mkdirSync(cwd);
    const job = [streaming, ...jobArguments(options, files, inputs).map(shellWord)].join(' ');
    process.stdout.write(await shell(job, { cwd }));
    states?.commit(join(localPath(output), '_states'), inputs);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Writes states without elements: the pieces of a state that has taken none. */
async function newStates({ flags, firstseen }, folder, partitions) {
  mkdirSync(folder);
  const state = join(folder, 'state');
  const shared = flagsWithout(flagsFor('reduce', flags), ['--emit', '--keep-position']);
  const [make, divide, only] = [
    [...shared, '--no-witness', '--state', state],
    ['split', state, '--partitions', String(partitions), '-d', folder],
    join(folder, '0-of-1.partition'),
  ];
  await shell(`${firstseen} ${make.map(shellWord).join(' ')}`);
  if (partitions === 1) return renameSync(state, only);
  await shell(`${firstseen} ${divide.map(shellWord).join(' ')}`);
  rmSync(state);
}

try {
  const options = parsed(process.argv.slice(2));
  if (options.help) console.log(usage);
  else await run(options);
} catch (error) {
  console.error(`firstseen-hadoop: ${error.message}`);
  if (!(error instanceof UsageError) && process.env.FIRSTSEEN_DEBUG === '1') console.error(error);
  process.exitCode = 1;
}
