// Submits deduplication to Hadoop Streaming: map tasks, a combiner if it is wanted, and reduce tasks. README.md describes it.

import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { flagsFor, flagsWithout, flagValue } from './flags.mjs';
import { inputFiles, isLocal, localPath, toUri } from './inputs.mjs';
import { keysFile, rangeStarts } from './ranges.mjs';
import { Refusal, shell, shellWord } from './shell.mjs';
import { States } from './states.mjs';
import { storageOf } from './storage.mjs';

const repository = join(dirname(fileURLToPath(import.meta.url)), '../..');

/** The property of Hadoop that has the number of reduce tasks. */
const REDUCERS = 'mapreduce.job.reduces';

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
  --streaming COMMAND   submits a job (default: hadoop jar "$HADOOP_STREAMING_JAR")
  --fs COMMAND          reads and writes other file systems (default: "hadoop fs")
  --firstseen COMMAND   runs firstseen on every node (default: the command of this repository)`;

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
      streaming: { type: 'string' },
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

/** The properties of Hadoop that are given. @throws Refusal for a definition without a value, and for one that an option gives. */
function definedProperties({ define }) {
  const properties = define.map((text) => /^([^=]+)=(.*)$/s.exec(text)?.slice(1) ?? [text]);
  for (const [name, value] of properties) {
    if (value === undefined) throw new Refusal(`-D ${name} has no value; give it as -D NAME=VALUE`);
    if (name === REDUCERS) throw new Refusal(`${name} is the number of reduce tasks; give it as --reducers`);
  }
  return Object.fromEntries(properties);
}

/** The command that submits a job. @throws Refusal if none is known. */
function streamingCommand({ streaming }) {
  const jar = process.env.HADOOP_STREAMING_JAR;
  if (streaming !== undefined) return streaming;
  if (jar) return `hadoop jar ${shellWord(jar)}`;
  throw new Refusal('HADOOP_STREAMING_JAR is not set; set it to the path of hadoop-streaming.jar, or give --streaming');
}

function checkOptions({ inputs, output, flags, combine, reducers, states }) {
  if (inputs.length === 0) throw new Refusal('no input was given; give files or folders');
  if (output === undefined) throw new Refusal('--output is missing; give a folder that does not exist');
  if (!/^[1-9][0-9]*$/.test(reducers)) throw new Refusal(`--reducers is ${reducers}; give a whole number from 1`);
  if (flagValue(flags, '--format', '-f') === undefined) {
    throw new Refusal('--format is missing; give it after --, because tasks do not see the names of the inputs');
  }
  // The states of the tasks that succeeded are moved from the output to the others.
  if (states !== undefined && isLocal(states) !== isLocal(output)) {
    throw new Refusal(`${states} and ${output} are in different file systems; give --output one in that of --states`);
  }
  const emit = flagValue(flags, '--emit');
  if (combine && emit !== undefined && emit !== 'distinct') {
    throw new Refusal(`--combine drops repeats, which --emit ${emit} needs; leave one of them out`);
  }
}

/** The name under which a task finds the states, if they are not in a file system of its machine. */
const STATES_LINK = 'firstseen-states';

function commandOf(phase, { firstseen, flags }) {
  return [firstseen, phase, ...flagsFor(phase, flags).map(shellWord)].join(' ');
}

/** Runs each phase without input, which refuses wrong flags before anything is submitted. */
async function checkFlags(options) {
  await shell(commandOf('map', options));
  await shell(commandOf('reduce', options));
  if (options.combine) await shell(commandOf('combine', options));
}

/** An element of the first partition, without a key. */
const FIRST_ELEMENT = `0000\t${'0'.repeat(18)}\t${'-'.repeat(16)}\t\n`;

/** Lets the reduce phase load the state of the first partition, which refuses flags that do not fit it. */
async function checkStates(folder, options) {
  await shell(`${commandOf('reduce', options)} --states ${shellWord(folder)}`, { input: FIRST_ELEMENT });
}

/** The script of a reduce task. States go to the work folder of the attempt, which Hadoop moves to the output with the task. */
function reduceScript(options, states) {
  const command = commandOf('reduce', options);
  if (states === undefined) return `exec ${command}\n`;
  if (isLocal(states)) {
    return `exec ${command} --states ${shellWord(states)} --states-to "\${mapreduce_task_output_dir#file:}/_states"\n`;
  }
  const { fs } = options;
  // What these commands print is not output of the task.
  return `${command} --states ${STATES_LINK} --states-to firstseen-new || exit
[ -d firstseen-new ] || exit 0
exec >&2
${fs} -mkdir -p "$mapreduce_task_output_dir/_states" && ${fs} -put firstseen-new/* "$mapreduce_task_output_dir/_states/"
`;
}

/** Writes the files that every task gets; returns the arguments that name them. */
function taskFiles(folder, options, { states, order }) {
  const files = {
    'firstseen-map': `exec ${commandOf('map', options)} --input-order firstseen-order\n`,
    'firstseen-combine': `exec ${commandOf('combine', options)}\n`,
    'firstseen-reduce': reduceScript(options, states),
    'firstseen-order': order.map((path) => `${path}\n`).join(''),
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const uris = Object.keys(files).map((name) => `file://${join(folder, name)}`);
  if (states !== undefined && !isLocal(states)) uris.push(`${states}#${STATES_LINK}`);
  return ['-files', uris.join(',')];
}

/** Writes which partitions each reduce task takes to a file beside the output, which all nodes reach; returns its URI. */
async function writeRanges({ output, reducers, fs }, partitions) {
  const folder = posix.dirname(toUri(output));
  const storage = storageOf(output, fs);
  await storage.makeFolder(folder);
  const uri = `${folder}/_firstseen-${randomUUID()}`;
  await storage.write(uri, keysFile(rangeStarts(partitions, Number(reducers))));
  return uri;
}

/**
 * The arguments of Hadoop Streaming. A line as a whole is a key, so lines are sorted by partition and position, and no line gets a
 * tab at its end. The lines of a range of partitions go to one reducer.
 */
function jobArguments({ reducers, combine, output }, { defined, files, inputs, ranges }) {
  const properties = {
    'mapreduce.job.name': 'firstseen',
    [REDUCERS]: reducers,
    'mapreduce.totalorderpartitioner.path': ranges,
    'stream.map.output': 'keyonlytext',
    'stream.reduce.input': 'keyonlytext',
    'stream.reduce.output': 'keyonlytext',
    // Hadoop also ends a line at a carriage return unless it is told otherwise.
    'textinputformat.record.delimiter': '\n',
    ...defined,
  };
  return [
    ...Object.entries(properties).flatMap(([name, value]) => ['-D', `${name}=${value}`]),
    ...files,
    ...['-partitioner', 'org.apache.hadoop.mapred.lib.TotalOrderPartitioner'],
    ...inputs.flatMap(({ uri }) => ['-input', uri]),
    ...['-output', toUri(output)],
    ...['-mapper', 'sh firstseen-map', '-reducer', 'sh firstseen-reduce'],
    ...(combine ? ['-combiner', 'sh firstseen-combine'] : []),
  ];
}

async function run(options) {
  checkOptions(options);
  const { flags, output } = options;
  const streaming = streamingCommand(options);
  const defined = definedProperties(options);
  const inputs = await inputFiles(options);
  const partitions = Number(flagValue(flags, '--partitions') ?? 1);
  await checkFlags(options);
  const work = mkdtempSync(join(tmpdir(), 'firstseen-hadoop-'));
  try {
    const states = statesOf(options, partitions);
    const make = () => newStates(options, join(work, 'new'), partitions);
    const before = await states?.open(inputs, { again: options.again, make });
    await states?.withFirst((folder) => checkStates(folder, options));
    const files = taskFiles(work, options, { states: before, order: inputs.map(({ uri }) => uri) });
    const cwd = join(work, 'job');
    mkdirSync(cwd);
    const ranges = await writeRanges(options, partitions);
    try {
      const words = jobArguments(options, { defined, files, inputs, ranges });
      process.stdout.write(await shell([streaming, ...words.map(shellWord)].join(' '), { cwd }));
    } finally {
      await storageOf(output, options.fs).remove(ranges);
    }
    await states?.commit(`${toUri(output)}/_states`, inputs);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function statesOf({ states, fs }, partitions) {
  if (states === undefined) return undefined;
  return new States(isLocal(states) ? localPath(states) : states, { partitions, fs });
}

/** Writes states without elements to a new folder: the pieces of a state that has taken none. */
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
  if (partitions === 1) {
    renameSync(state, only);
  } else {
    await shell(`${firstseen} ${divide.map(shellWord).join(' ')}`);
    rmSync(state);
  }
  return folder;
}

try {
  const options = parsed(process.argv.slice(2));
  if (options.help) console.log(usage);
  else await run(options);
} catch (error) {
  console.error(`firstseen-hadoop: ${error.message}`);
  if (!(error instanceof Refusal) && process.env.FIRSTSEEN_DEBUG === '1') console.error(error);
  process.exitCode = 1;
}
