// The short help of the main command, for -h: the flags that most runs need. --help has all of them.

import { type Command, CommanderError } from 'commander';

export const SHORT_HELP = `Usage: firstseen [options] [files...]

Write the first occurrence of every record, in order, and drop the repeats.

  -k, --key <key>       compare this field: a path in JSON, a column, a number
  -f, --format <name>   ndjson, csv, tsv, lines or another; else by file names
  -o, --output <file>   write to a file instead of standard output
  -m, --memory <size>   memory of the detector (default: 64MiB)
  --window <size>       forget what is farther back, such as 1h or 1000000
  --state <file>        go on in the next run with what was seen before
  --emit <what>         duplicates, unique, repeated, verdicts or all instead
  --keep last           the last record of each key instead of the first
  --count               write with each record how often its key occurs
  --spill <folder>      exact for any number of keys, in this folder on disk
  --stats               print a summary with the error rates of the run

Commands: near, passages, motifs, plan, inspect, serve, kafka and others.
firstseen --help has all flags and commands; firstseen help near those of near.
`;

/** Makes -h print the short help, and --help the whole. */
export function addShortHelp(program: Command, writeOut: (text: string) => void): void {
  program
    .option('-h', 'display the flags that most runs need')
    .helpOption('--help', 'display all flags and commands')
    .on('option:h', () => {
      writeOut(SHORT_HELP);
      throw new CommanderError(0, 'firstseen.help', '');
    });
}
