// Errors of the client of Kafka: which are repeated, and what the others mean.

import { setTimeout as sleep } from 'node:timers/promises';
import { formatCounted } from '../../base/count.js';
import { FirstseenError, optionName, type Phrase, phrase } from '../../base/errors.js';
import { checkStopped, RecordRefused, Stopped } from './contract.js';
import type { RdError } from './rdkafka.js';

/** A partition whose leader the client does not know, as while brokers change. */
export const UNKNOWN_PARTITION = -190;
/**
 * Codes of librdkafka and of brokers for what passes: a broker that is gone, no answer, a request that could not be sent in its time, a leader or coordinator that is not known or not ready
 * yet, offsets of a transaction that is open.
 */
const passing = new Set([
  ...[-195, UNKNOWN_PARTITION, -187, -185, -180, -166, -147, -137],
  ...[3, 5, 6, 7, 8, 9, 13, 14, 15, 16, 41, 56, 74, 75, 78, 88],
]);

/** The position of a consumer is not among the offsets of its partition. */
export const NO_OFFSET = -140;

export const REMADE =
  'the topic was re-created, or its retention has removed records before they were read: start again, which says what is left';

/** The time for which a request is repeated that cluster or network do not answer. */
const PATIENCE_MILLISECONDS = 60_000;
/** The time for which a worker that was asked to stop repeats what it still writes. Supervisors wait for half a minute, or less. */
const STOPPING_MILLISECONDS = 5000;
const PAUSE_MILLISECONDS = 100;

/** A topic that the user may not read, write or see, as the brokers say. */
export const TOPIC_REFUSED = 29;
/** Codes of what the user has no right to, with what to do. */
const rights: ReadonlyMap<number, string> = new Map([
  [TOPIC_REFUSED, 'allow the user READ on topics that it reads, and WRITE on topics that it writes'],
  [30, 'allow the user READ on the group'],
  [53, 'allow the user WRITE on the transactional ids that begin with the name of the group and a slash'],
]);

/** Tells if the user lacks a right, so that a repetition does not help. */
export function isRefused({ code }: Pick<RdError, 'code'>): boolean {
  return rights.has(code);
}

export function isPassing(error: unknown): boolean {
  const { code, isRetriable, isFatal } = error as Partial<RdError>;
  return !isFatal && (isRetriable === true || passing.has(code ?? 0));
}

/** Tells whether brokers do not answer, or are not asked any more, by an error or by one that it comes from. */
export function isUnanswered(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error instanceof Stopped || isPassing(error) || isUnanswered(error.cause);
}

/** @param Kind a class by which callers can tell the error from others */
export function kafkaError(
  failure: string,
  cause: unknown,
  remedy?: string | Phrase,
  Kind: typeof FirstseenError = FirstseenError,
): FirstseenError {
  const problem = `${failure}: ${(cause as Error).message}`;
  return new Kind('E_KAFKA', problem, {
    remedy:
      remedy ??
      rights.get((cause as RdError).code) ??
      'check that the brokers run, and that they allow it; then start again',
    cause,
  });
}

/** The name of a topic that cannot be, as one that differs from another topic only in points and underscores. */
const INVALID_TOPIC = 17;

/** The error for a topic of pointers that cannot be made. */
export function notMade(topic: string, partitions: number, error: RdError): FirstseenError {
  const remedies = new Map<number, string | Phrase>([
    [
      TOPIC_REFUSED,
      `make it, compacted and with ${formatCounted(partitions, 'partition')}, or allow the user CREATE on it`,
    ],
    [INVALID_TOPIC, phrase`give another topic as ${optionName('pointers')}`],
  ]);
  return kafkaError(`the topic ${topic} cannot be made`, error, remedies.get(error.code));
}

/** The code of brokers for what is too large. */
const TOO_LARGE = 10;
/** The code of brokers for a timestamp that is too far from their clock. */
const INVALID_TIME = 32;
/** The client cuts no requests: brokers refuse messages that are small enough, but are too large together. */
const TOO_LARGE_REMEDY = phrase`raise max.message.bytes of the topic; or, if each message alone is small enough, give ${optionName('config')} batch.size with that number of bytes`;
const SETTINGS_REMEDY =
  'change the settings of the topic, such as cleanup.policy, which needs keys if it is compact; or give another topic';
/** The remedies for what a topic refuses, for its size or by its settings. Pointers, and records without a timestamp, have the time of this machine. */
const refusalRemedies: ReadonlyMap<number, string | Phrase> = new Map<number, string | Phrase>([
  [TOO_LARGE, TOO_LARGE_REMEDY],
  [
    INVALID_TIME,
    'compare the clock of this machine with those of the brokers, and set it if it is ahead; if it is right, give the topic the message.timestamp.after.max.ms and message.timestamp.before.max.ms of the input',
  ],
  // An old message format, what a policy of the brokers says, and a key that is missing.
  ...[43, 44, 87].map((code) => [code, SETTINGS_REMEDY] as const),
]);

/** Returns the error for a record that a topic refuses; undefined for another error. */
export function recordRefusal(cause: RdError): FirstseenError | undefined {
  const remedy = refusalRemedies.get(cause.code);
  if (remedy === undefined) return undefined;
  return kafkaError('a topic does not take what is written', cause, remedy, RecordRefused);
}

export interface PatientOptions {
  /** Remedies of errors, by their codes. */
  remedies?: ReadonlyMap<number, string>;
  /** Called with what the request has thrown. However long it takes, the request is repeated after it. */
  beforeRepetition?: (error: RdError) => Promise<void>;
  /** Asks to stop: nothing is requested from then on. */
  signal?: AbortSignal | undefined;
  /** Asks to stop: what is requested is still tried, but not repeated for long. */
  lastTries?: AbortSignal | undefined;
}

/**
 * Repeats a request while the cluster does not answer it.
 * @throws FirstseenError E_KAFKA; what `beforeRepetition` throws
 */
export async function patiently<Value>(
  failure: string,
  request: () => Promise<Value>,
  { beforeRepetition, remedies, signal, lastTries }: PatientOptions = {},
): Promise<Value> {
  const began = Date.now();
  const isOver = () => Date.now() - began > (lastTries?.aborted ? STOPPING_MILLISECONDS : PATIENCE_MILLISECONDS);
  for (;;) {
    try {
      checkStopped(signal);
      return await request();
    } catch (error) {
      if (!isPassing(error) || isOver()) throw kafkaError(failure, error, remedies?.get((error as RdError).code));
      await beforeRepetition?.(error as RdError);
      await sleep(PAUSE_MILLISECONDS);
    }
  }
}
