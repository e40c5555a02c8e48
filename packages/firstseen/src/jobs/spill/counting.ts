// Writes each record together with how often its key occurs.

import { FirstseenError, optionName, phrase } from '../../base/errors.js';
import { unfitOption } from '../../base/unfitoption.js';
import type { FileFormat } from '../../io/format.js';
import { formatOfInput, formatOfOutput } from '../../io/formats.js';
import type { Emission } from '../../io/policies.js';
import { emittedMask, type RecordWriter } from '../../io/sink.js';
import type { InputRequest } from '../../io/source.js';
import { BATCH_CAPACITY } from '../../kernel/abi.js';
import { type InputFormatName, recordFormatNamed, recordFormatOf } from '../../records/formats.js';
import { annotatingWriter } from '../../run/annotate.js';
import type { Annotation, WrittenRecords } from '../../run/job.js';
import type { RunOptions } from '../../run/runoptions.js';

/** The member or column of the count. */
const FIELD = 'firstseen_count';
/** Digits that `uniq -c` leaves room for. */
const LINE_DIGITS = 7;

function refuse(why: string): never {
  throw unfitOption('count', why, { remedy: phrase`leave ${optionName('count')} out` });
}

/** @throws FirstseenError E_USAGE for a file whose records are written as they are. */
function checkExtended(path: string, { container }: FileFormat): void {
  if (container) refuse(`${path} is ${container.whyNotExtended}`);
}

/** @throws FirstseenError E_USAGE when counts cannot be written with the records. */
export function checkCounting(
  { emit, output, outputFolder, annotate }: RunOptions,
  inputs: readonly InputRequest[],
  format: InputFormatName,
): void {
  if (emit === 'duplicates' || emit === 'verdicts' || emit === 'all') {
    const problem = phrase`${optionName('count')} was given with ${optionName('emit')} ${emit}, but only distinct records have a count`;
    throw new FirstseenError('E_USAGE', problem, {
      option: 'count',
      remedy: phrase`leave ${optionName('count')} out, or choose ${optionName('emit')} distinct, unique or repeated`,
    });
  }
  if (annotate !== undefined) refuse('records are annotated already');
  const { whyNotExtended } = recordFormatNamed(recordFormatOf(format));
  if (whyNotExtended !== undefined) refuse(`records of format ${format} ${whyNotExtended}`);
  if (outputFolder !== undefined) for (const input of inputs) checkExtended(input.name, formatOfInput(input, format));
  else if (output !== undefined) checkExtended(output, formatOfOutput({ path: output }));
}

/** The counts of the keys of a batch. A record without a key is written once for each time that it occurs. */
export class BatchCounts {
  readonly #counts = new Float64Array(BATCH_CAPACITY);

  /** Returns the counts of the first keys, to be filled. */
  first(count: number): Float64Array {
    return this.#counts.subarray(0, count);
  }

  /** `keyed` is as in `Annotation`. */
  of(keyed: number | undefined): number {
    return (keyed === undefined ? 0 : this.#counts[keyed]) || 1;
  }
}

function countAnnotation(counts: BatchCounts): Annotation {
  return {
    columns: (field) => [field],
    values: (_, keyed) => [String(counts.of(keyed))],
    before: (_, keyed) => `${String(counts.of(keyed)).padStart(LINE_DIGITS)} `,
    json: (_, keyed) => counts.of(keyed),
  };
}

/** Writes the distinct records of batches with the counts of their keys. */
export function countingWriter(emit: Emission, counts: BatchCounts, records: WrittenRecords): RecordWriter {
  return annotatingWriter({
    ...records,
    field: FIELD,
    option: 'count',
    annotation: countAnnotation(counts),
    wanted: emittedMask(emit),
  });
}
