// `firstseen lab run`: its flags. The action is loaded when it runs, so that other commands start faster.

import {
  type Command,
  checkFlagRules,
  checkPositive,
  checkWhole,
  choiceOption,
  familyNames,
  layoutNames,
  Option,
  parseChoice,
  parseList,
  parseNamed,
  parseNumber,
  parseWhole,
} from 'firstseen/internal';
import type { Identity } from '../contract.js';
import { streamKindNames } from '../streams/names.js';
import { runsOptions } from './options.js';
import type { RunFlags } from './specs.js';

const identities: readonly Identity[] = ['hashed', 'identifier'];

/** With more points, counting the load would take longer than the run. */
const MAX_CURVE_POINTS = 10_000;

function parsePoints(text: string): number {
  return checkWhole('curvePoints', parseNumber(text, '--curve'), { least: 0, most: MAX_CURVE_POINTS }, 'E_USAGE');
}

function parseLoadBound(text: string): number {
  return checkPositive('--load-bound', parseNumber(text, '--load-bound'));
}

function listOption<Value>(flags: string, description: string, parse: (part: string, flag: string) => Value): Option {
  const option = new Option(flags, description);
  const flag = option.long ?? flags;
  return option.argParser((text) => parseList(text, flag).map((part) => parse(part, flag)));
}

function namedOption(flags: string, description: string, example: string): Option {
  const option = new Option(flags, description);
  return option
    .argParser((text, before: Record<string, string>) => {
      const [name, value] = parseNamed(text, { flag: option.long ?? flags, example }, before);
      return { ...before, [name]: value };
    })
    .default({}, 'none');
}

function detectorFlags(): Option[] {
  return [
    listOption('-a, --algorithm <name,...>', `families: ${familyNames.join(', ')}`, (text, flag) =>
      parseChoice(text, flag, familyNames),
    ).default(['qht'], 'qht'),
    listOption('-m, --memory <size,...>', 'memory of each detector', (text) => text).default(['64MiB'], '64MiB'),
    listOption('--layout <name,...>', `${layoutNames.join(', ')} (default: the family's own)`, (text, flag) =>
      parseChoice(text, flag, layoutNames),
    ),
    namedOption(
      '--param <name=value,...>',
      'a parameter, for the families that have it, such as k=2,3; repeatable',
      'k=2,3',
    ),
  ];
}

function streamFlags(): Option[] {
  return [
    listOption('-s, --stream <kind,...>', `kinds: ${streamKindNames.join(', ')}`, (text, flag) =>
      parseChoice(text, flag, streamKindNames),
    ).default(['uniform'], 'uniform'),
    listOption(
      '-n, --length <n,...>',
      'number of elements, such as 1e9 (default: 1e6; for a file, all)',
      (text, flag) => parseWhole(text, flag, 1),
    ),
    listOption(
      '--distinct <share,...>',
      'share of distinct elements, such as 15% or 0.15; sets distinctShare',
      parseNumber,
    ),
    namedOption(
      '--set <name=value,...>',
      'a setting, for the kinds that have it, such as exponent=1,1.2 or path=ids.txt; repeatable',
      'exponent=1,1.2',
    ),
    choiceOption('--identity <name>', 'what detectors get for an element', identities).default('hashed', 'hashed'),
    listOption('--seed <n,...>', 'repeat every run with each seed', (text, flag) => parseWhole(text, flag, 0)).default(
      [0],
      '0',
    ),
  ];
}

function measuringFlags(): Option[] {
  return [
    new Option('--curve <n>', 'measure the rates and the load at this number of points along the stream')
      .argParser(parsePoints)
      .default(0, 'none'),
    new Option('--load-bound <change>', 'the load is steady if it changes by less than this from point to point')
      .argParser(parseLoadBound)
      .default(0.001, '0.001'),
    new Option('--by-gap', 'count missed duplicates by gap; takes 4 bytes for each element of the universe'),
    new Option('-o, --output <file>', 'append results to a file of JSON lines; runs in the file are not repeated'),
    ...runsOptions(),
  ];
}

export function addRunCommand(lab: Command): void {
  const command = lab
    .command('run')
    .description(
      'run detectors over streams whose truth is known and count their errors, for every combination of the lists',
    )
    .allowExcessArguments(false);
  const groups: readonly [string, Option[]][] = [
    ['Detectors:', detectorFlags()],
    ['Streams:', streamFlags()],
    ['Measuring:', measuringFlags()],
  ];
  for (const [heading, options] of groups) {
    for (const option of options) command.addOption(option.helpGroup(heading));
  }
  command.action(async (flags: RunFlags) => {
    checkFlagRules(command, [{ options: ['loadBound'], requires: ['curve'] }]);
    const { runLab } = await import('./experiment.js');
    await runLab(flags);
  });
}
