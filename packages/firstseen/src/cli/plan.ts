// `firstseen plan`: recommends an algorithm for a stream, with its expected errors.

import { type Command, Option } from 'commander';
import { defined } from '../base/defined.js';
import { FirstseenError } from '../base/errors.js';
import { type LayoutName, layoutNames } from '../detectors/contract.js';
import { checkWindow, DEFAULT_MEMORY_BYTES } from '../detectors/settings.js';
import { sampledStream } from '../jobs/sample.js';
import { AUTO_MEMORY } from '../plan/auto.js';
import { planMeasured } from '../plan/measured.js';
import type { PartitionedPlanOptions } from '../plan/partitions.js';
import type { Plan } from '../plan/plan.js';
import type { StreamModel } from '../plan/stream.js';
import { planData, planText } from '../plan/text.js';
import { type InputFormatName, inputFormatNames } from '../records/formats.js';
import {
  checkFlagRules,
  choiceOption,
  elementsOption,
  type FlagRule,
  numberOption,
  parseGaps,
  parseWhole,
  partitionsFlag,
  repeatableOption,
  windowSlackFlag,
} from './flags.js';
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
  format?: InputFormatName;
  key: string[];
  header: boolean;
  layout?: LayoutName;
  json?: boolean;
}

/** The flags of the main command and of this one that describe the stream. */
export function expectationFlags(): Option[] {
  return [
    elementsOption('--expect-distinct <n>', 'expected number of distinct elements'),
    elementsOption('--expect-length <n>', 'expected number of elements, including repeats'),
  ];
}

function measured(input: string, flags: PlanFlags): Promise<StreamModel> {
  const { format, key: keys, header: hasHeader, expectLength: lengthElements, sampleRecords } = flags;
  return sampledStream({
    ...{ input, keys, hasHeader, missingKey: 'drop', onError: 'drop' },
    ...defined({ format, lengthElements, sampleRecords }),
  });
}

/** The window in elements. For a duration, the elements that arrive in it. */
function windowElementsOf({ window, rate }: PlanFlags): number | undefined {
  const asked = window === undefined ? undefined : checkWindow(window);
  if (asked && 'milliseconds' in asked) {
    if (rate !== undefined && rate > 0) return Math.ceil((rate * asked.milliseconds) / 1000);
    throw new FirstseenError('E_USAGE', `--window ${window} is a duration and requires a --rate above 0`, {
      option: 'windowElements',
      given: window,
      remedy: 'give --rate, the elements per second, or give --window as a number of elements',
    });
  }
  if (rate === undefined) return asked?.elements;
  throw new FirstseenError('E_USAGE', '--rate requires a --window that is a duration', {
    remedy: 'leave --rate out, or give a duration such as 1h',
  });
}

/** The command line that uses the recommendation. */
export function planCommandText({ recommended, memoryBytes }: Plan): string {
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

async function planOptions(flags: PlanFlags): Promise<PartitionedPlanOptions> {
  const windowElements = windowElementsOf(flags);
  const stream = flags.sample === undefined ? undefined : await measured(flags.sample, flags);
  const isLeast = flags.memory === AUTO_MEMORY;
  return defined({
    memory: isLeast ? undefined : flags.memory,
    leastMemoryBytes: isLeast ? undefined : DEFAULT_MEMORY_BYTES,
    fpr: flags.fpr,
    windowElements,
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
  { flags: ['format', 'key', 'header', 'sampleRecords'], requires: ['sample'] },
  { flags: ['gaps', 'expectDistinct'], excludes: ['sample'] },
];

export function addPlanCommand(program: Command): void {
  const command = program
    .command('plan')
    .description('recommend an algorithm for a stream, with the expected errors of each')
    .option(
      '-m, --memory <size>',
      'memory of the detector; auto: as little as needed (default: 64MiB, or more if needed)',
    )
    .addOption(numberOption('--fpr <rate>', 'highest rate of false positives (default: 1e-6)'))
    .option('--window <size>', 'find all duplicates within this number of elements, or within a duration such as 1h')
    .addOption(windowSlackFlag('an element'))
    .addOption(partitionsFlag('parts of the detector, a power of two up to 4096 (default: 1)'))
    .addOption(numberOption('--rate <n>', 'elements per second, for a window that is a duration'));
  for (const option of expectationFlags()) command.addOption(option);
  command
    .addOption(new Option('--gaps <n,...>', 'gaps between duplicates, in elements').argParser(parseGaps))
    .option('--sample <file>', 'measure the distinct elements and the gaps of a file, all of it; - is standard input')
    .addOption(
      new Option('--sample-records <n>', 'read only the first n records, and extrapolate').argParser((text) =>
        parseWhole(text, '--sample-records', 1),
      ),
    )
    .addOption(choiceOption('-f, --format <name>', 'format of the sample', inputFormatNames))
    .addOption(repeatableOption('-k, --key <key>', 'key of a record in the sample; repeatable', 'the whole record'))
    .option('--no-header', 'csv and tsv start with a record, not with a header')
    .addOption(choiceOption('--layout <name>', 'only this layout', layoutNames))
    .option('--json', 'print the plan as JSON')
    .allowExcessArguments(false)
    .action(async (flags: PlanFlags) => {
      checkFlagRules(command, rules);
      const advice = await planMeasured(await planOptions(flags));
      await writeOutput(
        flags.json ? `${JSON.stringify(planData(advice), null, 2)}\n` : planText(advice, planCommandText),
      );
    });
}
