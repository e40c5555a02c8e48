// Loads the detectors of snapshots, if they are what was asked for.

import { checkBytes, checkOptions, checkTargetFpr, type OptionNames } from '../base/check.js';
import { copied } from '../base/copied.js';
import { formatCounted } from '../base/count.js';
import { defined } from '../base/defined.js';
import { tell } from '../base/diagnostics.js';
import { FirstseenError, invalidOption, optionName, phrase } from '../base/errors.js';
import { formatBytes } from '../base/memory.js';
import { type ClockOptions, clockOptionNames, givenClock } from '../detectors/clock.js';
import type { Detector } from '../detectors/detector.js';
import { cellsBytesOf } from '../detectors/settings.js';
import { givenModule, type ModuleOptions, moduleOptionNames } from '../kernel/given.js';
import { type OverloadOptions, watchedAsAsked } from '../plan/keys.js';
import { checkKeyScheme, type KeyScheme, type KeySchemeOptions, keySchemeOf } from '../records/keyscheme.js';
import { keySchemeOptionNames } from '../records/schemes.js';
import type { SnapshotSource } from './parts.js';
import { readSnapshot, type SnapshotInput } from './readstream.js';
import { type ReadHeader, readDetector, readHeader } from './snapshots.js';

/** The options for loading a snapshot. */
export interface LoadOptions extends KeySchemeOptions, ModuleOptions, ClockOptions, OverloadOptions {
  /** The most memory that the detector may take, in bytes or as text such as `64MiB`; all that it asks for by default. */
  maxMemory?: number | string | undefined;
  /** The target of `onOverload`, because a snapshot does not keep it: the `fpr` of `create`, if that was given. */
  fpr?: number | undefined;
}

/** The options without those of a watched rate. */
export type UnwatchedLoadOptions = Omit<LoadOptions, keyof OverloadOptions | 'fpr'>;

export const unwatchedLoadOptionNames: OptionNames<UnwatchedLoadOptions> = {
  ...keySchemeOptionNames,
  ...moduleOptionNames,
  ...clockOptionNames,
  maxMemory: true,
};

const loadOptionNames: OptionNames<LoadOptions> = { ...unwatchedLoadOptionNames, onOverload: true, fpr: true };

/** Reads and checks a header, and checks that it is what was asked for. @throws FirstseenError as `readHeaderWith` */
export async function readAskedHeader(source: SnapshotSource, options: UnwatchedLoadOptions): Promise<ReadHeader> {
  const { maxMemory } = options;
  const header = await readHeaderWith(source, { keyScheme: keySchemeOf(options), maxMemory, ...givenModule(options) });
  if (!header.settings.family.holdsDocuments) return header;
  throw new FirstseenError('E_SNAPSHOT', 'this is a snapshot of verified near-duplicates, not of a detector', {
    remedy: 'load it with loadNear',
  });
}

/** The requirements for a header, and the module of the kernel that reads it. */
export interface AskedHeader extends Pick<LoadOptions, 'maxMemory'> {
  keyScheme: KeyScheme | undefined;
  module?: WebAssembly.Module;
}

/**
 * As `readAskedHeader`, with a key scheme. The detector of a snapshot that does not say how keys are made goes on with the scheme that
 * was asked for.
 * @throws FirstseenError E_SNAPSHOT; E_STATE_DIFFERS when its keys are made differently; E_MEMORY when it needs more memory.
 */
export async function readHeaderWith(
  source: SnapshotSource,
  { keyScheme: askedScheme, maxMemory, module }: AskedHeader,
): Promise<ReadHeader> {
  const maxBytes = maxBytesOf(maxMemory);
  const header = await readHeader(source, module);
  const { settings } = header;
  checkKeyScheme(settings.keyScheme, askedScheme);
  checkMemory(cellsBytesOf(settings) + settings.witnessBytes, maxBytes);
  return { ...header, settings: { ...settings, ...defined({ keyScheme: settings.keyScheme ?? askedScheme }) } };
}

/** @throws FirstseenError E_MEMORY unless it is a size. */
export function maxBytesOf(maxMemory: LoadOptions['maxMemory']): number {
  return maxMemory === undefined ? Number.POSITIVE_INFINITY : checkBytes('maxMemory', maxMemory);
}

/** Returns a function that shows two different sizes: with units, or in bytes if they would look the same. */
function showingApart(one: number, other: number): (bytes: number) => string {
  return formatBytes(one) === formatBytes(other) ? (bytes) => formatCounted(bytes, 'byte') : formatBytes;
}

/** @throws FirstseenError E_MEMORY when a snapshot needs more bytes. */
export function checkMemory(bytes: number, maxBytes: number): void {
  if (bytes <= maxBytes) return;
  const option = optionName('maxMemory');
  const showBytes = showingApart(bytes, maxBytes);
  throw new FirstseenError(
    'E_MEMORY',
    phrase`this snapshot takes ${showBytes(bytes)}, but ${option} is ${showBytes(maxBytes)}`,
    {
      option: 'maxMemory',
      given: maxBytes,
      expected: `at least ${bytes}`,
      remedy: phrase`raise ${option}`,
    },
  );
}

/** The detector that was asked for, of a snapshot in memory or a stream. @throws FirstseenError as `load` */
export async function readAsked(source: SnapshotSource, options: UnwatchedLoadOptions): Promise<Detector> {
  const host = { ...givenModule(options), ...givenClock(options) };
  const detector = await readDetector(source, await readAskedHeader(source, options), host);
  tell('load', () => ({ detector }));
  return detector;
}

/** @throws FirstseenError E_PARAMETER for a target that is not a rate, or that is given without `onOverload`. */
function checkTarget({ fpr, onOverload }: LoadOptions): void {
  if (fpr === undefined) return;
  checkTargetFpr(fpr);
  if (onOverload !== undefined) return;
  throw invalidOption({
    ...{ option: 'fpr', given: fpr, expected: phrase`left out without ${optionName('onOverload')}` },
    remedy: phrase`leave it out, because a snapshot has the parameters of its detector, or give ${optionName('onOverload')} too`,
  });
}

/**
 * The detector of a snapshot: bytes in an array, a buffer or a view of one, or a stream of bytes, such as a `ReadableStream`, a Node stream
 * or any iterable of chunks. Neither needs a second copy of the cells in memory, so leave an array as it is until the promise settles:
 * a change is found by the checksums (E_SNAPSHOT).
 * @throws FirstseenError E_SNAPSHOT when the bytes are not a complete, intact snapshot of a known version; E_STATE_DIFFERS when
 * keys are made differently than `keys` and `format` say; E_MEMORY when it takes more than `maxMemory`; E_PARAMETER when `module` is
 * not the kernel, or the detector has no target for `onOverload`; E_COMPILE where compiling is forbidden and no `module` is given; the
 * error of the stream.
 */
export async function load(snapshot: SnapshotInput, options: LoadOptions = {}): Promise<Detector> {
  const given = copied(checkOptions(options, loadOptionNames));
  checkTarget(given);
  const detector = await readSnapshot(snapshot, (source) => readAsked(source, given));
  return watchedAsAsked(detector, given);
}
