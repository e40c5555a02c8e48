// `firstseen lab reproduce`: its flags. What they ask for is loaded when they do, so that other commands start as fast.

import { FirstseenError } from 'firstseen';
import { type Command, Option, parseNamed, parseWhole, refuseFlagsBeside } from 'firstseen/internal';
import { RESULTS_NAME } from '../measure/results.js';
import type { ReproduceFlags } from './repeat.js';

/** A power of two up to 1, as a fraction or a number. E_USAGE otherwise. */
function parseScale(text: string): number {
  const [, of, number] = /^(?:1\/(\d+)|([\d.]+))$/.exec(text) ?? [];
  const scale = of === undefined ? Number(number) : 1 / Number(of);
  if (scale > 0 && scale <= 1 && Number.isInteger(Math.log2(scale))) return scale;
  throw new FirstseenError('E_USAGE', `--scale is "${text}", but must be 1, 1/2, 1/4, 1/8 and so on, such as 1/32`);
}

function checkFlags(command: Command, tables: readonly string[]): void {
  const { list, row, full, scale } = command.opts<ReproduceFlags>();
  const others = command.options.map((option) => option.attributeName()).filter((name) => name !== 'list');
  refuseFlagsBeside(command, 'list', others);
  if (list && tables.length > 0) {
    throw new FirstseenError(
      'E_USAGE',
      `${tables[0]} was named beside --list, which lists all tables; leave one of them out`,
    );
  }
  if (row !== undefined && tables.length > 0) {
    throw new FirstseenError(
      'E_USAGE',
      '--row was given with tables; its table follows from it, so leave one of them out',
    );
  }
  if (full && scale !== undefined) {
    throw new FirstseenError('E_USAGE', '--full and --scale contradict each other; leave one of them out');
  }
}

function wholeOption(flags: string, description: string): Option {
  const option = new Option(flags, description);
  return option.argParser((text) => parseWhole(text, option.long as string, 1));
}

function options(): Option[] {
  return [
    new Option('--list', 'list the tables and figures'),
    new Option('--scale <fraction>', 'of length and memory: 1/2, 1/4 and so on (default: 1/32)').argParser(parseScale),
    new Option('--full', 'at full length and memory'),
    wholeOption('--seeds <n>', 'repeat every run with so many seeds').default(1),
    new Option('--row <id>', 'only this row'),
    new Option('--data <name=path>', 'the file of a real data set, such as R2=bms-webview-2.txt.gz; repeatable')
      .argParser((text, before: Record<string, string>) => {
        const [name, path] = parseNamed(text, { flag: '--data', example: 'R2=bms-webview-2.txt.gz' }, before);
        return { ...before, [name]: path };
      })
      .default({}, 'none'),
    new Option('-o, --output <folder>', `add results to ${RESULTS_NAME} there; runs that it holds are not repeated`),
    new Option('--also <file>', 'show results of this file as well, such as those at full scale; repeatable')
      .argParser((text, before: string[]) => [...before, text])
      .default([], 'none'),
    wholeOption('--jobs <n>', 'runs at once (default: as many as cores and memory allow)'),
    new Option('--report <folder>', 'write report.html, report.md and their plots there'),
    new Option('--no-progress', 'show no progress bar'),
  ];
}

export function addReproduceCommand(lab: Command): void {
  const command = lab
    .command('reproduce')
    .description("repeat the papers' tables and figures: published, measured, predicted, the limit and a verdict")
    .argument('[tables...]', 'such as bera-4 or bera-figure-3 (default: all)');
  for (const option of options()) command.addOption(option);
  command.action(async (tables: string[], flags: ReproduceFlags) => {
    checkFlags(command, tables);
    const { repeatTables, listTables } = await import('./repeat.js');
    if (flags.list) await listTables();
    else await repeatTables(tables, flags);
  });
}
