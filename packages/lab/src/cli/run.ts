// `firstseen lab run`: its flags. What they ask for is loaded when they do, so that other commands start as fast.

import { FirstseenError } from 'firstseen';
import {
  type Command,
  familyNames,
  layoutNames,
  Option,
  parseChoice,
  parseList,
  parseNamed,
  parseNumber,
  parseWhole,
  refuseFlagsWithout,
} from 'firstseen/internal';
import type { Identity } from '../contract.js';
import { streamKindNames } from '../streams/names.js';
import type { RunFlags } from './specs.js';

const identities: readonly Identity[] = ['hashed', 'identifier'];
const PERCENT = /^(.*\S)\s*%$/;

/** A share such as 0.15 or 15%; its range is the stream's to check. */
function parseShare(text: string, flag: string): number {
  const percent = PERCENT.exec(text)?.[1];
  return percent === undefined ? parseNumber(text, flag) : parseNumber(percent, flag) / 100;
}

/** More would take longer to count the load at than to run, and more memory than there is. */
const MOST_CURVE_POINTS = 10_000;

function parsePoints(text: string): number {
  const points = parseWhole(text, '--curve', 0);
  if (points <= MOST_CURVE_POINTS) return points;
  throw new FirstseenError(
    'E_USAGE',
    `--curve is "${text}", but must be a whole number from 0 to ${MOST_CURVE_POINTS.toLocaleString('en-US')}`,
  );
}

function parseLoadBound(text: string): number {
  const bound = parseNumber(text, '--load-bound');
  if (bound > 0) return bound;
  throw new FirstseenError('E_USAGE', `--load-bound is "${text}", but must be a number above 0, such as 0.001`);
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
    listOption('-m, --memory <size,...>', 'memory of a detector', (text) => text).default(['64MiB'], '64MiB'),
    listOption('--layout <name,...>', `${layoutNames.join(', ')} (default: the family's own)`, (text, flag) =>
      parseChoice(text, flag, layoutNames),
    ),
    namedOption(
      '--param <name=value,...>',
      'a parameter of those families that have it, such as k=2,3; repeatable',
      'k=2,3',
    ),
  ];
}

function streamFlags(): Option[] {
  return [
    listOption('-s, --stream <kind,...>', `kinds: ${streamKindNames.join(', ')}`, (text, flag) =>
      parseChoice(text, flag, streamKindNames),
    ).default(['uniform'], 'uniform'),
    listOption('-n, --length <n,...>', 'elements, such as 1e9 (default: 1e6; of a file, all)', (text, flag) =>
      parseWhole(text, flag, 1),
    ),
    listOption(
      '--distinct <share,...>',
      'share of distinct elements, such as 15% or 0.15: the setting distinctShare',
      parseShare,
    ),
    namedOption(
      '--set <name=value,...>',
      'a setting of those kinds that have it, such as exponent=1,1.2 or path=ids.txt; repeatable',
      'exponent=1,1.2',
    ),
    new Option('--identity <name>', `what a detector is given for an element: ${identities.join(', ')}`)
      .argParser((text) => parseChoice(text, '--identity', identities))
      .default('hashed', 'hashed'),
    listOption('--seed <n,...>', 'repeat everything with each seed', (text, flag) => parseWhole(text, flag, 0)).default(
      [0],
      '0',
    ),
  ];
}

function measuringFlags(): Option[] {
  return [
    new Option('--curve <n>', 'points at which rates and load are measured along the stream')
      .argParser(parsePoints)
      .default(0, 'none'),
    new Option('--load-bound <change>', 'the load is steady where it changes by less from point to point')
      .argParser(parseLoadBound)
      .default(0.001, '0.001'),
    new Option('--by-gap', 'count missed duplicates by gap, which takes 4 bytes for each element of the universe'),
    new Option('-o, --output <file>', 'add results to a file of JSON lines; runs that it holds are not repeated'),
    new Option('--jobs <n>', 'runs at once (default: as many as cores and memory allow)').argParser((text) =>
      parseWhole(text, '--jobs', 1),
    ),
    new Option('--no-progress', 'show no progress bar'),
  ];
}

export function addRunCommand(lab: Command): void {
  const command = lab
    .command('run')
    .description('run detectors over streams and count their errors against the truth: every combination of the lists')
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
    refuseFlagsWithout(command, 'curve', ['loadBound']);
    const { runLab } = await import('./experiment.js');
    await runLab(flags);
  });
}
