// The cutter alone gives the same answers wherever its bytes are cut into chunks. The cases say what a run over a file did before
// there was a cutter, except for arrays of JSON whose first line is too long: what became of them depended on the chunks.

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { FirstseenError } from '../../../src/base/errors.js';
import { Detector, kernelOf } from '../../../src/detectors/detector.js';
import { type BatchOptions, observed } from '../../../src/framing/batch.js';
import { Counter } from '../../../src/framing/counts.js';
import { type Cut, Cutter } from '../../../src/framing/cutter.js';
import { columnsOf, headerScan, namesIn } from '../../../src/framing/header.js';
import { keyedScan } from '../../../src/framing/keyedscan.js';
import { PushWindow } from '../../../src/framing/window.js';
import { SCAN_SPARE_BYTES, WANTED_DISTINCT, WANTED_PASSED } from '../../../src/kernel/abi.js';
import { bytesBetween } from '../../../src/kernel/bytes.js';
import { commentPrefix } from '../../../src/records/comments.js';
import { type FormatName, recordFormats } from '../../../src/records/formats.js';
import type { TableFormat } from '../../../src/records/ordinary.js';
import { strictProblem } from '../../../src/records/parsed.js';
import {
  type KeyPolicyOptions,
  keyRuleDefaults,
  plainKeyRules,
  recordDefaults,
} from '../../../src/records/policies.js';
import { configureScan } from '../../../src/records/settings.js';
import { sampleNote, sampleOf, sampleSeed } from '../../support/form.js';
import { kernelModules } from '../../support/kernels.js';

interface Answers {
  output: string;
  /** The code and the message. */
  error: string | null;
  /** Lines taken; null after an error. */
  lines: number | null;
  /** Those that are not 0. */
  counts: object;
}

interface Case extends Answers, Pick<KeyPolicyOptions, 'missingKey' | 'emptyKey'> {
  text: string;
  format: FormatName;
  keys?: string[];
  hasHeader?: boolean;
  onError?: 'fail' | 'pass' | 'drop';
  isStrict?: boolean;
  maxRecordBytes?: number;
  skipLines?: number;
  comment?: string;
}

const cases = readFileSync(new URL('cutter.cases.ndjson', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as Case);

/** The ways in which the short form cuts a text. */
const SAMPLED_CUTS = 100;

const MAX_RECORD_BYTES = 14;
const REGION_BYTES = 4096;

/** What feeds a cutter with the chunks of one input after another. */
async function feederOf({ format, keys = [], hasHeader = true, onError = 'fail', isStrict, ...asked }: Case) {
  const { maxRecordBytes = MAX_RECORD_BYTES, skipLines = 0, comment, ...policies } = asked;
  const detector = await Detector.create(
    { algorithm: 'exact', memory: '64KiB', witness: false },
    { regionBytes: 3 * REGION_BYTES, module: kernelModules.release },
  );
  const kernel = kernelOf(detector);
  const [input, output, offset] = [0, 1, 2].map((region) => kernel.regionOffset + region * REGION_BYTES) as [
    number,
    number,
    number,
  ];
  const scratch = { offset, bytes: REGION_BYTES - SCAN_SPARE_BYTES };
  const { missingKey = recordDefaults.missingKey, emptyKey = keyRuleDefaults.emptyKey } = policies;
  const rules = keys.length === 0 ? plainKeyRules : { ...keyRuleDefaults, emptyKey };
  const scan = keyedScan({ format, fingerprint: 'xxh64', maxRecordBytes, comment, keys, rules });
  const isTable = recordFormats[format].keys === 'columns';
  const scanOf = (names?: readonly string[]) => (isTable ? { ...scan, ...columnsOf({ keys }, names) } : scan);
  const observe = (count: number) => observed(detector, count, () => detector.observePlaced(count));
  const batch: Omit<BatchOptions, 'counter'> = {
    ...{ kernel, format, onError, missingKey, emptyKey: rules.emptyKey, timing: 'none', takesKeyless: true },
    maxRecordBytes,
    linesBefore: { skipLines, comment: commentPrefix(comment) },
    strictProblem: isStrict ? strictProblem : undefined,
    job: { observe, observeTimed: observe, advance: () => undefined },
  };
  const textOf = (cut: Cut) => {
    if (cut.kind === 'piece') return cut.bytes;
    const end = kernel.exports.compact(cut.count, WANTED_DISTINCT | WANTED_PASSED, output) >>> 0;
    return bytesBetween(kernel, output, end);
  };
  return async (chunks: Iterable<Uint8Array>): Promise<Answers> => {
    detector.clear();
    const counter = new Counter();
    const window = new PushWindow(kernel, input);
    const position = { offset: 0, lines: 0 };
    const cutter = new Cutter({ ...batch, counter }, { names: { name: 'in', path: 'in' }, window, position });
    const written: Buffer[] = [];
    let isBegun = false;
    const take = async () => {
      const header = !isBegun && isTable && hasHeader ? cutter.header() : undefined;
      if (header) {
        const names = await namesIn(format as TableFormat, header, 'in');
        configureScan(kernel, scanOf(names), scratch);
        cutter.columnCount = names.length;
        written.push(Buffer.from(cutter.textBefore), Buffer.from(header));
        cutter.advance();
      }
      const isSkipped = !isBegun && !(isTable && hasHeader) && cutter.begin() && cutter.skip();
      if (isSkipped) written.push(Buffer.from(cutter.textBefore));
      isBegun ||= header !== undefined || isSkipped;
      for (let cut = isBegun ? cutter.next() : undefined; cut; cut = cutter.next()) {
        written.push(Buffer.from(textOf(cut)));
        cutter.advance();
      }
    };
    let error: string | null = null;
    try {
      configureScan(kernel, isTable && hasHeader ? headerScan(scan) : scanOf(), scratch);
      for (const chunk of chunks) {
        window.push(chunk);
        await take();
      }
      window.finish();
      await take();
    } catch (thrown) {
      error = `${(thrown as FirstseenError).code}: ${(thrown as Error).message}`;
    }
    const text = Buffer.concat(written).toString();
    counter.setBytesOut(Buffer.byteLength(text));
    expect(position.offset).toBe(counter.counts.bytesIn);
    const counts = Object.fromEntries(Object.entries(counter.counts).filter(([, count]) => count !== 0));
    return { output: text, error, lines: error === null ? position.lines : null, counts };
  };
}

/** The bytes in one chunk, in chunks of one byte, and cut at each place and each two places. */
function* cutsOf(bytes: Uint8Array): Generator<Uint8Array[]> {
  yield [bytes];
  yield [...bytes].map((byte) => Uint8Array.of(byte));
  for (let first = 0; first <= bytes.length; first++) {
    for (let second = first; second <= bytes.length; second++) {
      yield [bytes.subarray(0, first), bytes.subarray(first, second), bytes.subarray(second)];
    }
  }
}

test('there are cases of each format, with and without errors', () => {
  for (const format of Object.keys(recordFormats)) {
    const some = cases.filter((known) => known.format === format);
    expect(some.filter(({ error }) => error === null).length).toBeGreaterThanOrEqual(3);
    expect(some.filter(({ error }) => error !== null).length).toBeGreaterThanOrEqual(2);
  }
});

test.each(cases)(`$format, $text, $keys, $onError${sampleNote}`, async (known) => {
  const { text, output, error, lines, counts } = known;
  const feed = await feederOf(known);
  for (const chunks of sampleOf([...cutsOf(Buffer.from(text))], SAMPLED_CUTS, sampleSeed + text.length)) {
    const cuts = chunks.map(({ length }) => length);
    expect({ cuts, ...(await feed(chunks)) }).toEqual({ cuts, output, error, lines, counts });
  }
});
