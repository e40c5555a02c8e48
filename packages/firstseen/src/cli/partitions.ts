// `firstseen split STATE` and `firstseen merge FOLDER`: partitions of a state as files of their own.

import type { Command } from 'commander';
import { formatCounted } from '../base/count.js';
import { mergeStates, type PartitionsMoved, splitState } from '../checkpoint/partitions.js';
import { partitions as partitionsRow } from '../options/detector.js';
import { flagFor } from './options.js';
import { writeOutput } from './streams.js';

function movedText({ written, observed, leftWitness }: PartitionsMoved): string {
  const lines = [`${formatCounted(written.length, 'file')}, ${formatCounted(observed, 'element')}`, ...written];
  if (leftWitness) lines.push('the witness is left out: what it measured belongs to the whole stream');
  return `${lines.join('\n')}\n`;
}

export function addSplitCommand(program: Command): void {
  program
    .command('split')
    .description('write the partitions of a state to files of their own')
    .argument('<state>', 'file that --state wrote; it stays as it is')
    .addOption(
      flagFor({
        ...partitionsRow,
        help: 'pieces, each with an equal number of partitions',
        shownDefault: null,
      }).makeOptionMandatory(),
    )
    .requiredOption('-d, --directory <folder>', 'folder for the pieces')
    .action(async (state: string, { partitions, directory: folder }: { partitions: number; directory: string }) => {
      await writeOutput(movedText(await splitState({ state, partitions, folder })));
    });
}

export function addMergeCommand(program: Command): void {
  program
    .command('merge')
    .description('write one state from the partitions that split wrote')
    .argument('<folder>', 'folder of the pieces; they stay as they are')
    .requiredOption('-o, --output <state>', 'state file to write')
    .action(async (folder: string, { output: state }: { output: string }) => {
      await writeOutput(movedText(await mergeStates({ folder, state })));
    });
}
