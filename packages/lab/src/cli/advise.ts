// `firstseen lab advise`: its flags. The action is loaded when it runs, so that other commands start faster.

import { type Command, choiceOption, numberOption, Option } from 'firstseen/internal';
import type { AdviseFlags } from './contest.js';
import { runsOptions } from './options.js';

const formats = ['lines', 'ids'] as const;

export function addAdviseCommand(lab: Command): void {
  const [jobs, progress] = runsOptions();
  lab
    .command('advise')
    .description('measure every family on the elements of a file, and recommend one')
    .argument('<file>', 'the file; gzip and zstd are decompressed')
    .addOption(new Option('-m, --memory <size>', 'memory of each detector').default('1MiB', '1MiB'))
    .addOption(
      numberOption('--fpr <rate>', 'maximum rate of false positives (default: none; the lowest FPR + FNR wins)'),
    )
    .addOption(choiceOption('-f, --format <name>', 'what an element is', formats).default('lines', 'lines'))
    .option('--report <folder>', 'write report.html, report.md and the error plane to this folder')
    .addOption(jobs)
    .addOption(progress)
    .allowExcessArguments(false)
    .action(async (file: string, flags: AdviseFlags) => {
      const { adviseFile } = await import('./contest.js');
      await adviseFile(file, flags);
    });
}
