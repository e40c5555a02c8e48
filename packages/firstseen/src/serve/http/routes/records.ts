// Routes that observe or test the records of a body.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { FirstseenError } from '../../../base/errors.js';
import { emptyKey, missingKey, nullKey, onError } from '../../../options/records.js';
import type { OptionRow } from '../../../options/row.js';
import type { NullMeaning } from '../../../records/nulls.js';
import type { EmptyKeyPolicy, ErrorPolicy, MissingKeyPolicy } from '../../../records/policies.js';
import { maxLoggedBytes } from '../../log/records.js';
import { type Answers, askSome, type Prints } from '../../operations/ask.js';
import { observeOnce } from '../../operations/observeonce.js';
import type { DetectorEntry } from '../../store/entry.js';
import { MAX_ID_BYTES, MAX_REQUEST_KEYS } from '../../store/requestids.js';
import { type BodyOptions, BodyRecords, type Emitted } from '../bodyrecords.js';
import { checkBodyType, readWhole, refuseCompressed } from '../checks.js';
import { HttpProblem, parameterNameOf } from '../problem.js';
import { streamRecords } from '../recordstream.js';
import { send } from '../reply.js';
import type { ParameterRow, Route, RouteContext, RouteRequest } from '../route.js';
import { maxLoggedByPiece, untilAskable, untilChangeable, untilSafe } from '../safety.js';
import { PIECE_BYTES, type SharedScanner } from '../scanner.js';
import { entryOf } from './detectors.js';

/** The bodies that are taken, and the formats of their records. */
const formats: Readonly<Record<string, BodyOptions['format']>> = {
  'text/plain': 'lines',
  'application/x-ndjson': 'ndjson',
  'application/octet-stream': 'u64',
};

const emissions = ['verdicts', 'distinct', 'duplicates', 'counts'] as const;
type Emission = (typeof emissions)[number];

function policyParameter(row: OptionRow): ParameterRow {
  const { words = [], default: value, help } = row;
  return { name: parameterNameOf(row), in: 'query', kind: 'word', words, default: String(value), help };
}

const recordParameters: readonly ParameterRow[] = [
  {
    name: 'emit',
    in: 'query',
    kind: 'word',
    words: emissions,
    default: 'verdicts',
    help: 'the reply: a verdict for each record, the records with one verdict, or the count of each verdict',
  },
  {
    name: 'key',
    in: 'query',
    kind: 'texts',
    help: 'path of a key in JSON, such as `user.id`; several are one key; the whole line without one',
  },
  ...[missingKey, emptyKey, nullKey, onError].map(policyParameter),
];

/** The parameters that tell how keys are read from records. */
const rulesOfKeys = [missingKey, emptyKey, nullKey].map(parameterNameOf);

/** @throws HttpProblem E_REQUEST for a rule that would have no effect, because each whole line is a key */
function checkRules({ url = '' }: IncomingMessage): void {
  const query = new URLSearchParams(url.split('?')[1]);
  const idle = rulesOfKeys.find((name) => query.has(name));
  if (idle === undefined || query.has('key')) return;
  throw new HttpProblem(
    'E_REQUEST',
    `${idle} has no effect without key: each whole record is a key, also an empty one; leave it out, or give key`,
  );
}

const ID = 'Idempotency-Key';

const idParameter: ParameterRow = {
  name: ID,
  in: 'header',
  kind: 'text',
  help: `an id of the request, of at most ${MAX_REQUEST_KEYS} records: a retry with it gets the answers of the first try`,
};

/** The detector and the options that a request names for its records. */
interface RecordsAsked extends Omit<BodyOptions, 'ask' | 'settings'> {
  entry: DetectorEntry;
  emit: Emission;
}

function askedOf(request: RouteRequest, context: RouteContext): RecordsAsked {
  const { parameters, incoming } = request;
  refuseCompressed(incoming);
  const type = checkBodyType(incoming, Object.keys(formats));
  const format = formats[type] as BodyOptions['format'];
  const keys = parameters.key as string[];
  if (keys.length > 0 && format !== 'ndjson') {
    throw new HttpProblem(
      'E_REQUEST',
      `a body of ${type} has no keys in its records; send application/x-ndjson, or leave key out`,
    );
  }
  checkRules(incoming);
  const entry = entryOf(request, context);
  const emit = parameters.emit as Emission;
  if (entry.claims && (emit === 'distinct' || emit === 'duplicates')) {
    throw new HttpProblem(
      'E_CLAIMS',
      `the detector was made for claims, and emit=${emit} has no place for records whose keys are held; ask for verdicts`,
    );
  }
  return {
    ...{ entry, emit, format, keys },
    emitted: emittedFor(emit, format),
    missingKey: parameters['missing-key'] as MissingKeyPolicy,
    emptyKey: parameters['empty-key'] as EmptyKeyPolicy,
    nullKey: parameters['null-key'] as NullMeaning,
    onError: parameters['on-error'] as ErrorPolicy,
  };
}

function emittedFor(emit: Emission, format: BodyOptions['format']): Emitted {
  if (emit === 'verdicts') return format === 'u64' ? 'bytes' : 'words';
  return emit === 'counts' ? 'nothing' : emit;
}

function typeOf({ emitted, format }: RecordsAsked): string {
  if (emitted === 'nothing') return 'application/json';
  if (emitted === 'words' || format === 'lines') return 'text/plain; charset=utf-8';
  return format === 'ndjson' ? 'application/x-ndjson' : 'application/octet-stream';
}

/** Waits until the detector may be used. @param bytes the most that is logged @throws HttpProblem E_NOT_FOUND once it is removed */
async function untilUsable(
  { entry }: RecordsAsked,
  { server }: RouteContext,
  hasChanged: boolean,
  bytes: number,
): Promise<void> {
  await (hasChanged ? untilChangeable(server, bytes) : untilAskable(server));
  if (server.store.find(entry.name) === entry) return;
  throw new HttpProblem('E_NOT_FOUND', 'the detector was removed');
}

function answering(verb: 'observe' | 'test') {
  return async (request: RouteRequest, context: RouteContext, response: ServerResponse): Promise<void> => {
    const options = askedOf(request, context);
    const scanner = await context.scanner();
    const hasChanged = verb === 'observe';
    const id = request.parameters[ID];
    if (typeof id === 'string') return answerOnce(id, { options, request, context, response, scanner });
    const { entry } = options;
    const ask = (keys: Prints) => askSome(entry, { ask: verb, hasPending: true }, keys);
    const records = new BodyRecords(scanner, { ...options, settings: entry.detector.settings, ask });
    const untilReady = (bytes: number) => untilUsable(options, context, hasChanged, maxLoggedByPiece(bytes));
    await untilReady(0);
    request.accept();
    await streamRecords({
      ...{ server: context.server, incoming: request.incoming, response, records, untilReady },
      type: typeOf(options),
      hasErrorLine: options.emitted === 'words',
      endingOf: options.emit === 'counts' ? () => Buffer.from(`${JSON.stringify(records.counts)}\n`) : undefined,
    });
  };
}

interface Once {
  options: RecordsAsked;
  request: RouteRequest;
  context: RouteContext;
  response: ServerResponse;
  scanner: SharedScanner;
}

/** Returns the reply to a whole body, and the counts of its records. */
function replyTo(body: Uint8Array, { options, scanner }: Pick<Once, 'options' | 'scanner'>, ask: BodyOptions['ask']) {
  const records = new BodyRecords(scanner, { ...options, settings: options.entry.detector.settings, ask });
  const parts: Uint8Array[] = [];
  try {
    for (let from = 0; from < body.length; from += PIECE_BYTES) {
      records.take(body.subarray(from, from + PIECE_BYTES), (part) => parts.push(part));
    }
    records.finish((part) => parts.push(part));
  } finally {
    records.close();
  }
  return { bytes: Buffer.concat(parts), counts: records.counts };
}

/** The fingerprints of the keys of a body. @throws FirstseenError as `BodyRecords.take`; then nothing is observed */
function fingerprintsIn(body: Uint8Array, once: Once): BigUint64Array {
  const all: bigint[] = [];
  const collect = ({ fingerprints, count, verdicts }: Prints): Answers => {
    for (const fingerprint of fingerprints) all.push(fingerprint);
    return { verdicts: verdicts.fill(0), answered: count };
  };
  replyTo(body, once, collect);
  return BigUint64Array.from(all);
}

/** As `observeOnce`. @throws HttpProblem E_BODY_SIZE, E_REQUEST or E_ID_REUSED for a request that cannot have the id */
function observeWithId(entry: DetectorEntry, id: string, keys: Prints): Uint8Array {
  if (keys.count > MAX_REQUEST_KEYS) {
    throw new HttpProblem(
      'E_BODY_SIZE',
      `the body has ${keys.count} records; with ${ID}, send at most ${MAX_REQUEST_KEYS}`,
    );
  }
  if (id.length === 0 || id.length > MAX_ID_BYTES) {
    throw new HttpProblem('E_REQUEST', `${ID} has ${id.length} bytes; give 1 to ${MAX_ID_BYTES}`);
  }
  try {
    return observeOnce(entry, id, keys);
  } catch (error) {
    const isReused = error instanceof FirstseenError && error.code === 'E_USAGE';
    throw isReused ? new HttpProblem('E_ID_REUSED', error.message) : error;
  }
}

/** Answers a body whose request has an id: it is observed as a whole, or not at all. */
async function answerOnce(id: string, once: Once): Promise<void> {
  const { options, request, context, response } = once;
  await untilUsable(options, context, true, 0);
  request.accept();
  const body = await readWhole(request.incoming, context.whole);
  const fingerprints = fingerprintsIn(body, once);
  const { length: count } = fingerprints;
  const size = { records: 1, elements: count, textBytes: MAX_ID_BYTES };
  await untilUsable(options, context, true, maxLoggedBytes(size));
  const verdicts = observeWithId(options.entry, withoutQuotes(id), {
    fingerprints,
    count,
    verdicts: new Uint8Array(count),
  });
  let answered = 0;
  const replay = (keys: Prints): Answers => {
    keys.verdicts.set(verdicts.subarray(answered, answered + keys.count));
    answered += keys.count;
    return { verdicts: keys.verdicts, answered: keys.count };
  };
  const { bytes, counts } = replyTo(body, once, replay);
  await untilSafe(context.server, true);
  send(
    response,
    options.emit === 'counts' ? { status: 200, body: counts } : { status: 200, body: bytes, type: typeOf(options) },
  );
}

/** An id may be in quotes, as in the draft of the header. */
function withoutQuotes(id: string): string {
  return /^"(.*)"$/.exec(id)?.[1] ?? id;
}

const body = {
  kind: 'stream',
  types: Object.keys(formats),
  help: 'records: lines, JSON objects on lines, or unsigned integers of 8 bytes, little-endian',
} as const;

const replies = {
  200: {
    help: 'a line `distinct`, `duplicate`, `pending`, `passed` or `dropped` for each record; a byte 0 to 4 in this order for each integer; or what `emit` requests',
    types: ['text/plain', 'application/x-ndjson', 'application/octet-stream', 'application/json'],
  },
} as const;

export const recordRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/detectors/{name}/observe',
    summary: 'tells for each record whether its key was seen, and adds the key',
    role: 'observe',
    parameters: [...recordParameters, idParameter],
    body,
    replies,
    stream: answering('observe'),
  },
  {
    method: 'POST',
    path: '/detectors/{name}/test',
    summary: 'tells for each record whether its key was seen, and adds nothing',
    role: 'read',
    parameters: recordParameters,
    body,
    replies,
    stream: answering('test'),
  },
];
