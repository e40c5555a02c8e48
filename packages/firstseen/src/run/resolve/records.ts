// Settles the options of records: how they are found, which of them a run takes, and where their keys are.

import { defined } from '../../base/defined.js';
import { unfitOption } from '../../base/unfitoption.js';
import type { KeyNote } from '../../checkpoint/note.js';
import { keyedScan } from '../../framing/keyedscan.js';
import { checkOtherLines } from '../../records/comments.js';
import { dialectOf } from '../../records/dialect.js';
import { fieldPlace, withoutFields } from '../../records/fieldplace.js';
import type { FormatName } from '../../records/formats.js';
import type { KeyRules } from '../../records/policies.js';
import type { ScanSettings } from '../../records/settings.js';
import { typesOf } from '../../records/warc.js';
import type { Job } from '../job.js';
import type { ResolvedDetector, ResolvedRecords } from '../resolved.js';
import type { RecordOptions } from '../settled.js';
import { parseShard, type Shard } from '../shard.js';
import type { RunRequest } from './request.js';
import { timeSettings } from './time.js';

/** @throws FirstseenError E_USAGE for a job whose records cannot be divided by their keys. */
export function shardOf({ shard }: RecordOptions, job: Job<never>): Shard | undefined {
  if (shard === undefined) return undefined;
  if (job.comparesKeys) return parseShard(shard);
  throw unfitOption('shard', 'similar documents have different keys', { given: shard, remedy: 'leave it out' });
}

/** Returns the scanner's settings for the value that ranks a record. */
function rankSettings(rank: string | undefined, format: FormatName): Pick<ScanSettings, 'rank'> {
  if (rank === undefined) return {};
  const place = fieldPlace(format, rank, 'keep');
  if (place === undefined) throw withoutFields('keep', rank, `records of format ${format}`);
  return { rank: place };
}

function scanSettings<Asked>(
  { options, format, job, key: { keys, lineKeys, equality } }: RunRequest<Asked>,
  rules: KeyRules,
  { job: { rank, texts }, settings }: ResolvedDetector,
): ScanSettings {
  const { maxRecordBytes, warcTypes, comment } = options.records;
  const dialect = dialectOf(options.records, format);
  checkOtherLines(options.records, format, dialect);
  return {
    ...keyedScan({
      format,
      fingerprint: job.takes === 'spans' ? 'spans' : settings.fingerprint,
      maxRecordBytes,
      dialect,
      comment,
      equality,
      keys,
      rules,
      types: typesOf(warcTypes, format),
      lineKeys,
    }),
    ...timeSettings(options.time, format),
    ...rankSettings(rank, format),
    ...defined({ texts }),
  };
}

/** The parts of the records of a run that are settled before its detector. */
interface SettledKeys {
  key: KeyNote;
  rules: KeyRules;
  shard: Shard | undefined;
}

/** @throws FirstseenError E_USAGE for options that do not fit the format. */
export function recordsOf<Asked>(
  request: RunRequest<Asked>,
  { key, rules, shard }: SettledKeys,
  detector: ResolvedDetector,
): ResolvedRecords {
  const { lineKeys, saltOf } = request.key;
  return {
    ...request.options.records,
    ...{ key, shard, lineKeys, saltOf },
    emptyKey: rules.emptyKey,
    rank: detector.job.rank,
    scan: scanSettings(request, rules, detector),
    isFormatGuessed: request.isFormatGuessed ?? false,
  };
}
