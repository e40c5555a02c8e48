// `firstseen plan`: recommends an algorithm for a stream, with its expected errors.

import type { Command } from 'commander';
import { defined } from '../base/defined.js';
import { FirstseenError } from '../base/errors.js';
import { formatBytes, parseBytes } from '../base/memory.js';
import { checkWindow } from '../detectors/settings.js';
import { type SampleOptions, sampledStream } from '../jobs/sample.js';
import { DEFAULT_MEMORY_BYTES, distinctElements, gapsElements, lengthElements } from '../options/detector.js';
import { type ValuesOf, valuesOf } from '../options/filled.js';
import { flagOfOption } from '../options/flagnames.js';
import { longFlag } from '../options/longflag.js';
import { planRows, sampleRecords, sampleRows } from '../options/plan.js';
import type { OptionRow } from '../options/row.js';
import { checkRules, type OptionRule } from '../options/rules.js';
import { AUTO_MEMORY } from '../plan/auto.js';
import { planMeasured } from '../plan/measured.js';
import type { PartitionedPlanOptions } from '../plan/partitions.js';
import type { Plan } from '../plan/plan.js';
import type { StreamModel } from '../plan/stream.js';
import { planData, planText } from '../plan/text.js';
import { flagFor, givenValues } from './options.js';
import { addPlanNearCommand } from './plannear.js';
import { addPlanSizesCommand } from './plansizes.js';
import { writeOutput } from './streams.js';

type PlanValues = ValuesOf<(typeof planRows)[number]>;

function measured(input: string, records: Partial<SampleOptions>, values: PlanValues): Promise<StreamModel> {
  const { lengthElements, sampleRecords } = values;
  return sampledStream({
    ...{ ...records, input, missingKey: 'drop', onError: 'drop' },
    ...defined({ lengthElements, sampleRecords }),
  });
}

/** The window in elements. For a duration, the elements that arrive in it. */
function windowOf({ window, rate }: PlanValues): Pick<PartitionedPlanOptions, 'windowElements' | 'windowMilliseconds'> {
  const size = window === undefined ? undefined : checkWindow(window);
  if (size && 'milliseconds' in size) {
    const { milliseconds } = size;
    if (rate !== undefined && rate > 0) {
      return { windowElements: Math.ceil((rate * milliseconds) / 1000), windowMilliseconds: milliseconds };
    }
    throw new FirstseenError('E_USAGE', `--window ${window} is a duration and requires a --rate above 0`, {
      option: 'windowElements',
      given: window,
      remedy: 'give --rate, the elements per second, or give --window as a number of elements',
    });
  }
  if (rate === undefined) return { windowElements: size?.elements };
  throw new FirstseenError('E_USAGE', '--rate requires a --window that is a duration', {
    remedy: 'leave --rate out, or give a duration such as 1h',
  });
}

/** The options that a run does not take with a window. */
const expectations: readonly string[] = [distinctElements, lengthElements, gapsElements].map(({ name }) => name);

/** The command line of a run that takes the recommendation by itself: the flags of a run among those that were given. */
function runCommandText(values: PlanValues, memoryBytes: number): string {
  const size = formatBytes(memoryBytes);
  const runValues = { ...values, memory: parseBytes(size) === memoryBytes ? size : memoryBytes };
  const isTaken = ({ name }: OptionRow) => runValues.window === undefined || !expectations.includes(name);
  const shown = planRows
    .filter((row) => 'isOwn' in row && runValues[row.name] !== undefined && isTaken(row))
    .map((row) => ` ${longFlag(row)} ${runValues[row.name]}`);
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

async function planOptions(values: PlanValues, records: Partial<SampleOptions>): Promise<PartitionedPlanOptions> {
  const { memory, fpr, windowSlack, distinctElements, lengthElements, gapsElements, layout, partitions, sample } =
    values;
  const isLeast = memory === AUTO_MEMORY;
  return defined({
    memory: isLeast ? undefined : memory,
    minMemoryBytes: isLeast ? undefined : DEFAULT_MEMORY_BYTES,
    ...{ fpr, ...windowOf(values), windowSlack, distinctElements, lengthElements, gapsElements, layout, partitions },
    stream: sample === undefined ? undefined : await measured(sample, records, values),
  });
}

type PlanName = (typeof planRows)[number]['name'];

const rules: readonly OptionRule<PlanName>[] = [
  { options: [...sampleRows, sampleRecords].map(({ name }) => name), requires: ['sample'] },
  { options: ['gapsElements', 'distinctElements'], excludes: ['sample'] },
];

export function addPlanCommand(program: Command): void {
  const command = program
    .command('plan')
    .description('recommend an algorithm for a stream, with the expected errors of each');
  for (const row of planRows) command.addOption(flagFor(row));
  addPlanNearCommand(command);
  addPlanSizesCommand(command);
  command.allowExcessArguments(false).action(async () => {
    const flagValues = givenValues(command, planRows);
    checkRules(rules, flagValues, flagOfOption);
    const values = valuesOf(planRows, flagValues);
    const advice = await planMeasured(await planOptions(values, givenValues(command, sampleRows)));
    const useText = (plan: Plan) => (plan.isAuto ? runCommandText(values, plan.memoryBytes) : planCommandText(plan));
    await writeOutput(values.json ? `${JSON.stringify(planData(advice), null, 2)}\n` : planText(advice, useText));
  });
}
