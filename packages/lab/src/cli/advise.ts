// `firstseen lab advise`: its flags. What they ask for is loaded when they do, so that other commands start as fast.

import { type Command, Option, parseChoice, parseNumber, parseWhole } from 'firstseen/internal';
import type { AdviseFlags } from './contest.js';

const formats = ['lines', 'ids'] as const;

export function addAdviseCommand(lab: Command): void {
  lab
    .command('advise')
    .description('measure every family on the stream of a file, and say which serves it best')
    .argument('<file>', 'gzip, zstd or plain')
    .option('-m, --memory <size>', 'memory of a detector', '1MiB')
    .addOption(
      new Option('--fpr <rate>', 'most false positives (default: the least FPR + FNR is looked for)').argParser(
        (text) => parseNumber(text, '--fpr'),
      ),
    )
    .addOption(
      new Option('-f, --format <name>', `what an element is: ${formats.join(', ')}`)
        .argParser((text) => parseChoice(text, '--format', formats))
        .default('lines', 'lines'),
    )
    .option('--report <folder>', 'write report.html, report.md and the error plane there')
    .addOption(
      new Option('--jobs <n>', 'runs at once (default: as many as cores and memory allow)').argParser((text) =>
        parseWhole(text, '--jobs', 1),
      ),
    )
    .option('--no-progress', 'show no progress bar')
    .allowExcessArguments(false)
    .action(async (file: string, flags: AdviseFlags) => {
      const { adviseFile } = await import('./contest.js');
      await adviseFile(file, flags);
    });
}
