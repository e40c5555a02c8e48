// `firstseen plan`: which algorithm for a stream, and what it will err.

import { type Command, Option } from 'commander';
import { formatCounted } from '../count.js';
import { type LayoutName, layoutNames } from '../detectors/contract.js';
import { checkedWindow } from '../detectors/settings.js';
import { FirstseenError } from '../errors.js';
import { sampleGaps } from '../jobs/sample.js';
import { type PlanOptions, plan } from '../plan/plan.js';
import type { StreamModel } from '../plan/stream.js';
import { planData, planText } from '../plan/text.js';
import { type FormatName, formatNames } from '../records/formats.js';
import { parseChoice, parseGaps, parseNumber, refuseFlagsBeside, refuseFlagsWithout } from './flags.js';
import { writeOutput } from './streams.js';

/** Enough to see gaps of a million, in about a hundred megabytes. */
const SAMPLE_ELEMENTS = 2_000_000;

interface PlanFlags {
  memory?: string;
  fpr?: number;
  window?: string;
  rate?: number;
  expectDistinct?: number;
  expectLength?: number;
  gaps?: number[];
  sample?: string;
  format?: FormatName;
  key: string[];
  header: boolean;
  layout?: LayoutName;
  json?: boolean;
}

function numberOption(flags: string, description: string): Option {
  const option = new Option(flags, description);
  return option.argParser((text) => parseNumber(text, option.long as string));
}

/** Flags by which the main command and this one are told of a stream. */
export function expectationFlags(): Option[] {
  return [
    numberOption('--expect-distinct <n>', 'distinct elements expected'),
    numberOption('--expect-length <n>', 'elements expected, repeats included'),
  ];
}

async function measured(path: string, { format, key, header, expectLength }: PlanFlags): Promise<StreamModel> {
  const sample = await sampleGaps({
    inputs: [path],
    keys: key,
    hasHeader: header,
    missingKey: 'drop',
    onError: 'drop',
    mostElements: SAMPLE_ELEMENTS,
    ...(format === undefined ? {} : { format }),
  });
  return sample.stream(`as ${formatCounted(sample.elements, 'element')} of ${path} show`, expectLength);
}

/** The window in elements; a duration has as many as come in it. */
function windowElementsOf({ window, rate }: PlanFlags): number | undefined {
  const asked = window === undefined ? undefined : checkedWindow(window);
  if (asked && 'milliseconds' in asked) {
    if (rate !== undefined && rate > 0) return Math.ceil((rate * asked.milliseconds) / 1000);
    throw new FirstseenError(
      'E_USAGE',
      `--window is ${window}, and how many elements come in that time is not known; give --rate, the elements that come in ` +
        'a second, above 0, or give --window as a number of elements',
    );
  }
  if (rate === undefined) return asked?.elements;
  throw new FirstseenError(
    'E_USAGE',
    '--rate was given, but --window is no duration; leave it out, or give one such as 1h',
  );
}

async function planOptions(flags: PlanFlags): Promise<PlanOptions> {
  const windowElements = windowElementsOf(flags);
  const stream = flags.sample === undefined ? undefined : await measured(flags.sample, flags);
  const options = {
    memory: flags.memory,
    fpr: flags.fpr,
    windowElements,
    distinctElements: flags.expectDistinct,
    lengthElements: flags.expectLength,
    gapsElements: flags.gaps,
    layout: flags.layout,
    stream,
  };
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

export function addPlanCommand(program: Command): void {
  const command = program
    .command('plan')
    .description('advise an algorithm for a stream, with the errors that every one will make')
    .option('-m, --memory <size>', 'memory of the detector (default: what is needed, or 64MiB)')
    .addOption(numberOption('--fpr <rate>', 'most false positives (default: 1e-6)'))
    .option('--window <size>', 'find duplicates that come within so many elements, or within a duration such as 1h')
    .addOption(numberOption('--rate <n>', 'elements that come in a second, for a window that is a duration'));
  for (const option of expectationFlags()) command.addOption(option);
  command
    .addOption(new Option('--gaps <n,...>', 'gaps between duplicates, in elements').argParser(parseGaps))
    .option('--sample <file>', 'measure the gaps in a file')
    .addOption(
      new Option('-f, --format <name>', `format of the sample: ${formatNames.join(', ')}`).argParser((text) =>
        parseChoice(text, '--format', formatNames),
      ),
    )
    .addOption(
      new Option('-k, --key <key>', 'what decides identity in the sample; repeatable')
        .argParser((text, before: string[]) => [...before, text])
        .default([], 'the whole record'),
    )
    .option('--no-header', 'csv and tsv begin with a record, not with a header')
    .addOption(
      new Option('--layout <name>', `only this layout: ${layoutNames.join(', ')}`).argParser((text) =>
        parseChoice(text, '--layout', layoutNames),
      ),
    )
    .option('--json', 'print it as JSON')
    .allowExcessArguments(false)
    .action(async (flags: PlanFlags) => {
      refuseFlagsWithout(command, 'sample', ['format', 'key', 'header']);
      refuseFlagsBeside(command, 'sample', ['gaps', 'expectDistinct']);
      const advice = plan(await planOptions(flags));
      await writeOutput(flags.json ? `${JSON.stringify(planData(advice), null, 2)}\n` : planText(advice));
    });
}
