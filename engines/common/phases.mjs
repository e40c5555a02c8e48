// The programs of firstseen that engines run, and what is checked before a job is submitted.

import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { flagsFor, flagsWithout, flagValue } from './flags.mjs';
import { isLocal, localPath } from './paths.mjs';
import { shell, shellWord } from './shell.mjs';
import { listName, States } from './states.mjs';

const repository = join(dirname(fileURLToPath(import.meta.url)), '../..');

/** Runs firstseen of this repository. */
export const ownFirstseen = `node ${shellWord(join(repository, 'packages/firstseen/bin/firstseen.js'))}`;

/** The command of a phase: `firstseen` with the flags that the phase takes. */
export function commandOf(phase, { firstseen, flags }) {
  return [firstseen, phase, ...flagsFor(phase, flags).map(shellWord)].join(' ');
}

export function partitionsOf(flags) {
  return Number(flagValue(flags, '--partitions') ?? 1);
}

/** Runs each phase without input. @throws Refusal for flags that it refuses. */
export async function checkFlags(phases, options) {
  for (const phase of phases) await shell(commandOf(phase, options));
}

const NO_NUMBER = '-'.repeat(16);

/** An element of the first partition, without a key. */
function firstElement(flags) {
  const time = flagValue(flags, '--time-key') === undefined ? '' : `@${NO_NUMBER}`;
  return `0000\t${'0'.repeat(18)}\t${NO_NUMBER}${time}\t\n`;
}

/** Lets the reduce phase load the state of the first partition, which refuses flags that do not fit it. */
async function checkStates(folder, options) {
  const input = firstElement(options.flags);
  await shell(`${commandOf('reduce', options)} --states ${shellWord(folder)}`, { input });
}

/** Writes states without elements to a new folder: the pieces of a state that has taken none. */
async function newStates({ flags, firstseen }, folder) {
  mkdirSync(folder);
  const partitions = partitionsOf(flags);
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

/**
 * The states with which a job goes on; undefined if it has no folder of states. A folder without states gets empty ones.
 * @param inputs the files that the job takes: { uri, bytes, modified }
 * @throws Refusal when an input was taken before, or the flags are not those of the states
 */
export async function openStates(options, inputs) {
  const { states: folder, fs, flags, again } = options;
  if (folder === undefined) return undefined;
  const states = new States(isLocal(folder) ? localPath(folder) : folder, { partitions: partitionsOf(flags), fs });
  const work = mkdtempSync(join(tmpdir(), 'firstseen-states-'));
  try {
    await states.open(inputs, { again, make: () => newStates(options, join(work, 'new')) });
    await states.withFirst((first) => checkStates(first, options));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return states;
}

/** The flags with which a reduce task writes its states, and the list of them, to a folder. Both are words of the shell. */
export function statesAfter(folder, task) {
  return `--states-to ${folder} --states-list ${folder}/${listName(task)}`;
}

/**
 * The script of a reduce task whose states are in a file system that only the command `fs` reaches. It has a copy of the states
 * before. All folders are words of the shell.
 * @param before the folder of the copy
 * @param after a folder of this machine for the states after
 * @param to the folder to which they are copied
 * @param task the number of the task, by which its list of states is named
 */
export function remoteReduce(command, { before, after, to, task, fs }) {
  // What these commands print is not output of the task.
  return `${command} --states ${before} ${statesAfter(after, task)} || exit
exec >&2
${fs} -mkdir -p ${to} && ${fs} -put ${after}/* ${to}/
`;
}
