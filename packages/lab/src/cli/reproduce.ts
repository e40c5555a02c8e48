// `firstseen lab reproduce`: its flags. The action is loaded when it runs, so that other commands start faster.

import { FirstseenError } from 'firstseen';
import { type Command, checkFlagRules, invalidOption, Option, parseNamed } from 'firstseen/internal';
import { RESULTS_NAME } from '../measure/results.js';
import { runsOptions, wholeOption } from './options.js';
import type { ReproduceFlags } from './repeat.js';

/** A power of two up to 1, as a fraction or a number. E_USAGE otherwise. */
function parseScale(text: string): number {
  const [, of, number] = /^(?:1\/(\d+)|([\d.]+))$/.exec(text) ?? [];
  const scale = of === undefined ? Number(number) : 1 / Number(of);
  if (scale > 0 && scale <= 1 && Number.isInteger(Math.log2(scale))) return scale;
  const expected = '1, 1/2, 1/4, 1/8 and so on';
  throw invalidOption({ code: 'E_USAGE', option: '--scale', given: text, expected });
}

function checkFlags(command: Command, tables: readonly string[]): void {
  const { list, row, full, scale } = command.opts<ReproduceFlags>();
  const otherOptions = command.options.map((option) => option.attributeName()).filter((name) => name !== 'list');
  checkFlagRules(command, [{ options: otherOptions, excludes: ['list'] }]);
  if (list && tables.length > 0) {
    throw new FirstseenError('E_USAGE', '--list takes no table names', { remedy: 'leave them out' });
  }
  if (row !== undefined && tables.length > 0) {
    throw new FirstseenError('E_USAGE', '--row names its table itself', { remedy: 'leave the table names out' });
  }
  if (full && scale !== undefined) {
    throw new FirstseenError('E_USAGE', '--full and --scale exclude each other', { remedy: 'leave one of them out' });
  }
}

function options(): Option[] {
  const [jobs, progress] = runsOptions();
  return [
    new Option('--list', 'list the tables and figures'),
    new Option('--scale <fraction>', 'fraction of length and memory: 1/2, 1/4 and so on (default: 1/32)').argParser(
      parseScale,
    ),
    new Option('--full', 'use full length and memory'),
    wholeOption('--seeds <n>', 'number of seeds with which each run is repeated').default(1),
    new Option('--row <id>', 'repeat this row only'),
    new Option('--data <name=path>', 'the file of a real data set, such as R2=bms-webview-2.txt.gz; repeatable')
      .argParser((text, before: Record<string, string>) => {
        const [name, path] = parseNamed(text, { flag: '--data', example: 'R2=bms-webview-2.txt.gz' }, before);
        return { ...before, [name]: path };
      })
      .default({}, 'none'),
    new Option(
      '-o, --output <folder>',
      `append results to ${RESULTS_NAME} in this folder; runs in it are not repeated`,
    ),
    new Option('--also <file>', 'also show the results in this file, such as those at full scale; repeatable')
      .argParser((text, before: string[]) => [...before, text])
      .default([], 'none'),
    jobs,
    new Option('--report <folder>', 'write report.html, report.md and their plots to this folder'),
    progress,
  ];
}

export function addReproduceCommand(lab: Command): void {
  const command = lab
    .command('reproduce')
    .description("repeat the papers' tables and figures, and compare published, measured and predicted rates")
    .argument('[tables...]', 'such as bera-4 or bera-figure-3 (default: all)');
  for (const option of options()) command.addOption(option);
  command.action(async (tables: string[], flags: ReproduceFlags) => {
    checkFlags(command, tables);
    const { repeatTables, listTables } = await import('./repeat.js');
    if (flags.list) await listTables();
    else await repeatTables(tables, flags);
  });
}
