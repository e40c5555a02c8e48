// What engines/spark/dedup.py leaves to the code that Spark shares with Hadoop: it checks the flags, writes the commands of the
// tasks, and commits the states. dedup.py writes three lines of JSON, and each is answered by one: its arguments, the inputs, and the
// tasks that succeeded. What is refused gets a message and no answer.

import { statSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { checkArguments, parseArguments, sharedHelp } from '../common/arguments.mjs';
import { flagValue } from '../common/flags.mjs';
import { isLocal, localFile, localPath } from '../common/paths.mjs';
import { checkFlags, commandOf, openStates, partitionsOf, remoteReduce, statesAfter } from '../common/phases.mjs';
import { Refusal, shellWord } from '../common/shell.mjs';

const usage = `Usage: spark-submit engines/spark/dedup.py [options] INPUT... --output DIR -- FLAGS

Deduplicates the inputs on Spark. Inputs are files and folders, as Spark reads them. FLAGS are those of firstseen: the detector, the
keys, and --emit and --keep-position for the output. --format is required.

${sharedHelp}
  --parquet             the inputs are Parquet; the keys are columns, and --format is ndjson`;

const sparkOptions = { parquet: { type: 'boolean', default: false } };

function checkOptions(options) {
  checkArguments(options);
  const { flags, parquet } = options;
  const format = flagValue(flags, '--format', '-f');
  if (parquet && format !== 'ndjson') {
    throw new Refusal(`--format is ${format}; give --format ndjson with --parquet, because rows become such lines`);
  }
}

/** A file as the note of a block has it: that of Hadoop, if it is local. */
function inputOf([path, bytes, modified]) {
  return isLocal(path) ? localFile(path, statSync(localPath(path))) : { uri: path, bytes, modified };
}

/** Copies the states of the partitions of a task to a folder: those whose number, divided by that of all tasks, leaves its own. */
function copyOfStates(before, to, { flags, reducers, fs }) {
  const partitions = partitionsOf(flags);
  const digits = String(partitions).length;
  return `partition=$task
set --
while [ "$partition" -lt ${partitions} ]; do
  set -- "$@" ${shellWord(before)}/"$(printf %0${digits}d "$partition")-of-${partitions}.partition"
  partition=$((partition + ${reducers}))
done
mkdir ${to} || exit
[ $# -eq 0 ] || ${fs} -get "$@" ${to} >&2 || exit
`;
}

/** The script of a reduce task. The first line that it reads has the number of its attempt, and its own. */
function reduceScript(options, before, attempts) {
  const command = commandOf('reduce', options);
  const start = 'read -r attempt task || exit\n';
  if (before === undefined) return `${start}exec ${command}\n`;
  const to = `${shellWord(attempts)}/"$attempt"`;
  const task = '"$task"';
  if (isLocal(before)) return `${start}exec ${command} --states ${shellWord(before)} ${statesAfter(to, task)}\n`;
  const [copy, after] = ['"$work"/before', '"$work"/after'];
  return `${start}work=$(mktemp -d) || exit
trap 'rm -rf "$work"' EXIT
${copyOfStates(before, copy, options)}${remoteReduce(command, { before: copy, after, to, task, fs: options.fs })}`;
}

/** Lets `ask` give what the other side says next, and `answer` answer it. */
async function drive(ask, answer) {
  const options = parseArguments(await ask(), sparkOptions);
  if (options.help) {
    console.error(usage);
    return;
  }
  checkOptions(options);
  await checkFlags(['map', 'reduce'], options);
  const { inputs: paths, output, parquet } = options;
  const reducers = Number(options.reducers);
  answer({ paths, output, parquet, reducers });
  const inputs = (await ask())?.map(inputOf);
  if (inputs === undefined) return;
  const states = await openStates(options, inputs);
  const attempts = states?.attemptsFolder();
  const reduce = reduceScript(options, states?.before, attempts);
  answer({ map: commandOf('map', options), reduce: `sh -c ${shellWord(reduce)}` });
  const succeeded = await ask();
  if (succeeded === undefined) {
    await states?.discard(attempts);
    return;
  }
  if (succeeded.length !== reducers) {
    throw new Refusal(`${succeeded.length} of ${reducers} tasks told what they wrote; run the job again`);
  }
  await states?.commitAttempts(attempts, succeeded, inputs);
  answer({});
}

const input = createInterface({ input: process.stdin });
const lines = input[Symbol.asyncIterator]();
try {
  await drive(
    async () => {
      const { value } = await lines.next();
      return value === undefined ? undefined : JSON.parse(value);
    },
    (value) => console.log(JSON.stringify(value)),
  );
} catch (error) {
  console.error(`firstseen-spark: ${error.message}`);
  if (!(error instanceof Refusal) && process.env.FIRSTSEEN_DEBUG === '1') console.error(error);
  process.exitCode = 1;
} finally {
  // The other side waits for the end.
  input.close();
  process.stdin.destroy();
}
