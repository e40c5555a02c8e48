// Submits deduplication to Hadoop Streaming: map tasks, a combiner if it is wanted, and reduce tasks. README.md describes it.

import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { checkArguments, parseArguments, sharedHelp } from '../common/arguments.mjs';
import { flagValue } from '../common/flags.mjs';
import { isLocal, toUri } from '../common/paths.mjs';
import { checkFlags, commandOf, openStates, partitionsOf, remoteReduce, statesAfter } from '../common/phases.mjs';
import { Refusal, shell, shellWord } from '../common/shell.mjs';
import { storageOf } from '../common/storage.mjs';
import { inputFiles } from './inputs.mjs';
import { keysFile, rangeStarts } from './ranges.mjs';

/** The property of Hadoop that has the number of reduce tasks. */
const REDUCERS = 'mapreduce.job.reduces';

const usage = `Usage: engines/hadoop/run [options] INPUT... --output DIR -- FLAGS

Deduplicates the inputs on Hadoop. Inputs are files and folders, by path or URI. FLAGS are those of firstseen: the detector, the
keys, and --emit and --keep-position for the output. --format is required.

${sharedHelp}
  --combine             drop repeats within each map task; with exact and bloom, or --approximate among the FLAGS
  --input-order FILE    a file that lists the inputs in the order of the stream (default: by path)
  -D NAME=VALUE         a property of Hadoop; repeatable
  --streaming COMMAND   submits a job (default: hadoop jar "$HADOOP_STREAMING_JAR")`;

const hadoopOptions = {
  combine: { type: 'boolean', default: false },
  'input-order': { type: 'string' },
  define: { type: 'string', short: 'D', multiple: true, default: [] },
  streaming: { type: 'string' },
};

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

function checkOptions(options) {
  checkArguments(options);
  const { output, flags, combine, states } = options;
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

/** The script of a reduce task. States go to the work folder of the attempt, which Hadoop moves to the output with the task. */
function reduceScript(options, states) {
  const command = commandOf('reduce', options);
  if (states === undefined) return `exec ${command}\n`;
  const task = '"$mapreduce_task_partition"';
  if (isLocal(states)) {
    const after = statesAfter(`"\${mapreduce_task_output_dir#file:}/_states"`, task);
    return `exec ${command} --states ${shellWord(states)} ${after}\n`;
  }
  const to = '"$mapreduce_task_output_dir/_states"';
  return remoteReduce(command, { before: STATES_LINK, after: 'firstseen-new', to, task, fs: options.fs });
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
  const { flags, output, combine, reducers, fs } = options;
  const streaming = streamingCommand(options);
  const defined = definedProperties(options);
  const inputs = await inputFiles(options);
  await checkFlags(['map', 'reduce', ...(combine ? ['combine'] : [])], options);
  const states = await openStates(options, inputs);
  const work = mkdtempSync(join(tmpdir(), 'firstseen-hadoop-'));
  try {
    const files = taskFiles(work, options, { states: states?.before, order: inputs.map(({ uri }) => uri) });
    const cwd = join(work, 'job');
    mkdirSync(cwd);
    const ranges = await writeRanges(options, partitionsOf(flags));
    try {
      const words = jobArguments(options, { defined, files, inputs, ranges });
      process.stdout.write(await shell([streaming, ...words.map(shellWord)].join(' '), { cwd }));
    } finally {
      await storageOf(output, fs).remove(ranges);
    }
    await states?.commitFolder(`${toUri(output)}/_states`, Number(reducers), inputs);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

try {
  const options = parseArguments(process.argv.slice(2), hadoopOptions);
  if (options.help) console.log(usage);
  else await run(options);
} catch (error) {
  console.error(`firstseen-hadoop: ${error.message}`);
  if (!(error instanceof Refusal) && process.env.FIRSTSEEN_DEBUG === '1') console.error(error);
  process.exitCode = 1;
}
