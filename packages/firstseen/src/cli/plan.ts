// `firstseen plan`: recommends an algorithm for a stream, with its expected errors.

import { type Command, Option } from 'commander';
import { defined } from '../base/defined.js';
import { FirstseenError } from '../base/errors.js';
import { formatBytes, parseBytes } from '../base/memory.js';
import type { LayoutName } from '../detectors/contract.js';
import { checkWindow } from '../detectors/settings.js';
import { type SampleOptions, sampledStream } from '../jobs/sample.js';
import * as rows from '../options/detector.js';
import { DEFAULT_MEMORY_BYTES } from '../options/detector.js';
import {
  comment,
  delimiter,
  escapeCharacter,
  hasHeader,
  keyChars,
  keyPattern,
  quote,
  skipLines,
} from '../options/layout.js';
import { emptyKey, equalityOptions, format, keys, nullKey } from '../options/records.js';
import type { OptionRow } from '../options/row.js';
import { parseWhole } from '../options/values.js';
import { AUTO_MEMORY } from '../plan/auto.js';
import { planMeasured } from '../plan/measured.js';
import type { PartitionedPlanOptions } from '../plan/partitions.js';
import type { Plan } from '../plan/plan.js';
import type { StreamModel } from '../plan/stream.js';
import { planData, planText } from '../plan/text.js';
import { checkFlagRules, type FlagRule, numberOption } from './flags.js';
import { attributeOf, flagFor, valuesAmong } from './options.js';
import { addPlanNearCommand } from './plannear.js';
import { addPlanSizesCommand } from './plansizes.js';
import { writeOutput } from './streams.js';

interface PlanFlags {
  memory?: string;
  fpr?: number;
  window?: string;
  windowSlack?: number;
  partitions?: number;
  rate?: number;
  expectDistinct?: number;
  expectLength?: number;
  gaps?: number[];
  sample?: string;
  sampleRecords?: number;
  layout?: LayoutName;
  json?: boolean;
}

/** The options of a run that say what a sample has as elements. */
const recordRows: readonly OptionRow[] = [
  format,
  keys,
  keyPattern,
  keyChars,
  ...equalityOptions,
  emptyKey,
  nullKey,
  hasHeader,
  skipLines,
  comment,
  delimiter,
  quote,
  escapeCharacter,
];

function measured(input: string, command: Command): Promise<StreamModel> {
  const { expectLength: lengthElements, sampleRecords } = command.opts<PlanFlags>();
  const records: Partial<SampleOptions> = valuesAmong(command, recordRows);
  return sampledStream({
    ...{ ...records, input, missingKey: 'drop', onError: 'drop' },
    ...defined({ lengthElements, sampleRecords }),
  });
}

/** The window in elements. For a duration, the elements that arrive in it. */
function windowOf({ window, rate }: PlanFlags): Pick<PartitionedPlanOptions, 'windowElements' | 'windowMilliseconds'> {
  const asked = window === undefined ? undefined : checkWindow(window);
  if (asked && 'milliseconds' in asked) {
    const { milliseconds } = asked;
    if (rate !== undefined && rate > 0) {
      return { windowElements: Math.ceil((rate * milliseconds) / 1000), windowMilliseconds: milliseconds };
    }
    throw new FirstseenError('E_USAGE', `--window ${window} is a duration and requires a --rate above 0`, {
      option: 'windowElements',
      given: window,
      remedy: 'give --rate, the elements per second, or give --window as a number of elements',
    });
  }
  if (rate === undefined) return { windowElements: asked?.elements };
  throw new FirstseenError('E_USAGE', '--rate requires a --window that is a duration', {
    remedy: 'leave --rate out, or give a duration such as 1h',
  });
}

/** The command line of a run that takes the recommendation by itself: the flags of a run among those that were given. */
function runCommandText(flags: PlanFlags, memoryBytes: number): string {
  const { fpr, window, windowSlack, partitions, expectDistinct, expectLength, gaps, layout } = flags;
  const given: [string, unknown][] = [
    ['memory', parseBytes(formatBytes(memoryBytes)) === memoryBytes ? formatBytes(memoryBytes) : memoryBytes],
    ['fpr', fpr],
    ['window', window],
    ['window-slack', windowSlack],
    ['partitions', partitions],
    // With a window, a run takes no expectations.
    ['expect-distinct', window === undefined ? expectDistinct : undefined],
    ['expect-length', window === undefined ? expectLength : undefined],
    ['gaps', window === undefined ? gaps?.join(',') : undefined],
    ['layout', layout],
  ];
  const shown = given.filter(([, value]) => value !== undefined).map(([name, value]) => ` --${name} ${value}`);
  return `firstseen${shown.join('')}`;
}

/** The command line that uses the recommendation where a run does not take it by itself. */
function planCommandText({ recommended, memoryBytes }: Plan): string {
  const { algorithm, layout, parameters, settings } = recommended;
  return [
    'firstseen',
    `--memory ${memoryBytes}`,
    ...(settings.partitions ? [`--partitions ${settings.partitions.count}`] : []),
    `--algorithm ${algorithm}`,
    `--layout ${layout}`,
    ...Object.entries(parameters).map(([letter, value]) => `--param ${letter}=${value}`),
  ].join(' ');
}

async function planOptions(command: Command): Promise<PartitionedPlanOptions> {
  const flags = command.opts<PlanFlags>();
  const window = windowOf(flags);
  const stream = flags.sample === undefined ? undefined : await measured(flags.sample, command);
  const isLeast = flags.memory === AUTO_MEMORY;
  return defined({
    memory: isLeast ? undefined : flags.memory,
    minMemoryBytes: isLeast ? undefined : DEFAULT_MEMORY_BYTES,
    fpr: flags.fpr,
    ...window,
    windowSlack: flags.windowSlack,
    distinctElements: flags.expectDistinct,
    lengthElements: flags.expectLength,
    gapsElements: flags.gaps,
    layout: flags.layout,
    partitions: flags.partitions,
    stream,
  });
}

const rules: readonly FlagRule[] = [
  {
    flags: [...recordRows.map(attributeOf), 'sampleRecords'],
    requires: ['sample'],
  },
  { flags: ['gaps', 'expectDistinct'], excludes: ['sample'] },
];

/** An option of the main command, with what it is in this one. */
function planFlag(row: OptionRow, help = row.help, shownDefault: string | null = null): Option {
  return flagFor({ ...row, help, shownDefault });
}

const defaultMemory = formatBytes(DEFAULT_MEMORY_BYTES);

/** The help of options that is not that of the main command. */
const sampleHelp: ReadonlyMap<OptionRow, string> = new Map<OptionRow, string>([
  [format, 'format of the sample'],
  [keys, 'key of a record in the sample; repeatable'],
]);

const sampleRecords = 'read only the first n records, and extrapolate';

export function addPlanCommand(program: Command): void {
  const command = program
    .command('plan')
    .description('recommend an algorithm for a stream, with the expected errors of each');
  const flags = [
    planFlag(rows.memory, 'memory of the detector; auto: as little as needed', `${defaultMemory}, or more if needed`),
    planFlag(rows.fpr, 'highest rate of false positives', rows.fpr.default.toExponential()),
    planFlag(rows.window, 'find all duplicates within this number of elements, or within a duration such as 1h'),
    planFlag(rows.windowSlack),
    planFlag(rows.partitions, 'parts of the detector, a power of two up to 4096', `${rows.partitions.default}`),
    numberOption('--rate <n>', 'elements per second, for a window that is a duration'),
    planFlag(rows.distinctElements),
    planFlag(rows.lengthElements),
    planFlag(rows.gapsElements, 'gaps between duplicates, in elements'),
    new Option(
      '--sample <file>',
      'measure the distinct elements and the gaps of a file, all of it; - is standard input',
    ),
    new Option('--sample-records <n>', sampleRecords).argParser((text) => parseWhole(text, '--sample-records', 1)),
    ...recordRows.map((row) => planFlag(row, sampleHelp.get(row), row === keys ? keys.shownDefault : null)),
    planFlag(rows.layout, 'only this layout'),
    new Option('--json', 'print the plan as JSON'),
  ];
  for (const flag of flags) command.addOption(flag);
  addPlanNearCommand(command);
  addPlanSizesCommand(command);
  command.allowExcessArguments(false).action(async (flags: PlanFlags) => {
    checkFlagRules(command, rules);
    const advice = await planMeasured(await planOptions(command));
    const useText = (plan: Plan) => (plan.isAuto ? runCommandText(flags, plan.memoryBytes) : planCommandText(plan));
    await writeOutput(flags.json ? `${JSON.stringify(planData(advice), null, 2)}\n` : planText(advice, useText));
  });
}
