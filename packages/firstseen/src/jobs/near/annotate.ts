// Writes records together with the findings about them, in the format of the records: a member `near` of a JSON object, more columns
// of a row, or columns separated by tabs before a line.

import { FirstseenError, optionName, phrase } from '../../errors.js';
import type { Kernel } from '../../kernel/kernel.js';
import type { NearAnswer } from '../../near/detector.js';
import type { SignatureSettings } from '../../near/settings.js';
import { decisions, recordClasses } from '../../records/classes.js';
import { withoutTerminator } from '../../records/header.js';
import type { Annotator } from '../../run/job.js';
import type { DocumentFormat } from './options.js';

/** The findings about a record. */
interface Finding {
  verdict: 'distinct' | 'duplicate' | 'passed';
  /** Undefined for a record that was passed on unchecked. */
  answer: NearAnswer | undefined;
}

/** Adds a finding to a record without its terminator. */
type Write = (record: Buffer, finding: Finding) => Buffer;

const CLOSE_BRACE = 0x7d;

function nearestOf({ answer }: Finding): { id: string; similarity: number } | null {
  return answer?.nearest ?? null;
}

function similarityText(similarity: number): string {
  return similarity.toFixed(4);
}

/** What is written besides the verdict and the number of bands. */
export interface Tells {
  /** The set of the document, if there are sets. */
  set: boolean;
  /** The nearest kept document, if some are kept by name. */
  nearest: boolean;
}

export function tellsOf({ sets, explain }: Pick<SignatureSettings, 'sets' | 'explain'>): Tells {
  return { set: sets > 0, nearest: explain > 0 };
}

function jsonWriter(tells: Tells): Write {
  return (record, finding) => {
    const close = record.lastIndexOf(CLOSE_BRACE);
    if (close < 0) return record;
    const before = record.subarray(0, close);
    const nearest = nearestOf(finding);
    const near = {
      verdict: finding.verdict,
      bands: finding.answer?.bands ?? null,
      ...(tells.set ? { set: finding.answer?.set ?? null } : {}),
      ...(tells.nearest
        ? { nearest: nearest && { id: nearest.id, similarity: Number(similarityText(nearest.similarity)) } }
        : {}),
    };
    const isEmpty = before.toString('latin1').trim() === '{';
    const member = Buffer.from(`${isEmpty ? '' : ','}"near":${JSON.stringify(near)}`);
    return Buffer.concat([before, member, record.subarray(close)]);
  };
}

/** The values of the columns that `headerColumns` names. */
function findingColumns(finding: Finding, tells: Tells): string[] {
  const { verdict, answer } = finding;
  const nearest = nearestOf(finding);
  return [
    verdict,
    String(answer?.bands ?? ''),
    ...(tells.set ? [String(answer?.set ?? '')] : []),
    ...(tells.nearest ? [nearest?.id ?? '', nearest ? similarityText(nearest.similarity) : ''] : []),
  ];
}

function headerColumns(tells: Tells): string[] {
  return [
    'near_verdict',
    'near_bands',
    ...(tells.set ? ['near_set'] : []),
    ...(tells.nearest ? ['near_id', 'near_similarity'] : []),
  ];
}

function csvField(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function tsvField(text: string): string {
  return text.replace(/[\t\r\n]/g, ' ');
}

const formatsOfTables = {
  csv: (columns: readonly string[]) => columns.map((column) => `,${csvField(column)}`).join(''),
  tsv: (columns: readonly string[]) => columns.map((column) => `\t${tsvField(column)}`).join(''),
};

function lineWriter(tells: Tells): Write {
  return (record, finding) => {
    const columns = findingColumns(finding, tells).map(tsvField);
    return Buffer.concat([Buffer.from(`${columns.join('\t')}\t`), record]);
  };
}

/** @throws FirstseenError E_USAGE for a format that cannot hold findings. */
function writerFor(format: DocumentFormat, tells: Tells): Write {
  if (format === 'ndjson') return jsonWriter(tells);
  if (format === 'csv' || format === 'tsv') {
    const joined = formatsOfTables[format];
    return (record, finding) => Buffer.concat([record, Buffer.from(joined(findingColumns(finding, tells)))]);
  }
  if (format !== 'u64') return lineWriter(tells);
  const problem = phrase`${optionName('emit')} annotated was given, but records of format u64 have a fixed length`;
  throw new FirstseenError('E_USAGE', problem, {
    option: 'emit',
    given: 'annotated',
    remedy: phrase`choose ${optionName('emit')} verdicts`,
  });
}

/** A record with its content rewritten and its terminator kept. */
function rewritten(bytes: Uint8Array, write: (content: Buffer) => Buffer): Buffer {
  const record = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const content = withoutTerminator(record) as Buffer;
  return Buffer.concat([write(content), record.subarray(content.length)]);
}

export interface AnnotatorOptions {
  kernel: Kernel;
  format: DocumentFormat;
  tells: Tells;
  /** The answers for the keyed records of the current batch. */
  answers: () => readonly (NearAnswer | undefined)[];
}

export function annotator({ kernel, format, tells, answers }: AnnotatorOptions): Annotator {
  const write = () => writerFor(format, tells);
  return {
    header: (header) => {
      const columns = headerColumns(tells);
      const added = format === 'csv' || format === 'tsv' ? formatsOfTables[format](columns) : '';
      return rewritten(header, (content) => Buffer.concat([content, Buffer.from(added)]));
    },
    records: (count) => recordsWith(kernel, count, answers(), write()),
  };
}

function recordsWith(
  kernel: Kernel,
  count: number,
  answers: readonly (NearAnswer | undefined)[],
  write: Write,
): Buffer {
  const parts: Buffer[] = [];
  let keyed = 0;
  for (let i = 0; i < count; i++) {
    const verdict = kernel.verdicts[i] as number;
    const answer = kernel.recordClasses[i] === recordClasses.KEYED.code ? answers[keyed++] : undefined;
    if (verdict === decisions.DROPPED) continue;
    const record = kernel.bytes.subarray(kernel.recordStarts[i] as number, kernel.recordEnds[i] as number);
    if (verdict === decisions.COPIED) parts.push(Buffer.from(record));
    else parts.push(rewritten(record, (content) => write(content, { verdict: answer?.verdict ?? 'passed', answer })));
  }
  return Buffer.concat(parts);
}
