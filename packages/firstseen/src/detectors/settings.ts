// From what a caller asks for to everything that decides a detector's answers.

import { formatCounted } from '../count.js';
import { parseMilliseconds } from '../duration.js';
import { FirstseenError } from '../errors.js';
import {
  type FingerprintName,
  fingerprintKinds,
  fingerprintNames,
  isFingerprintName,
} from '../fingerprint/fingerprint.js';
import { Secret } from '../fingerprint/secret.js';
import { LINE_BYTES } from '../kernel/abi.js';
import { parseBytes } from '../memory.js';
import {
  type Family,
  type LayoutName,
  layoutNames,
  type ParameterValue,
  type ResolvedParameters,
  type Window,
} from './contract.js';
import { defaultFamily, families, familyNamed, windowFamily } from './registry.js';
import { resolveWitnessBytes } from './witness.js';

export const DEFAULT_MEMORY_BYTES = 64 * 2 ** 20;
export const LEAST_MEMORY_BYTES = 1024;
const WORD_BYTES = 8;

export interface DetectorOptions {
  /** A name of the registry; `qht` by default, and `apbf` when a window is asked for. */
  algorithm?: string;
  /** Bytes for the detector's cells, as a number or as text such as `64MiB`, which is the default. */
  memory?: number | string;
  /** `blocked`: one cache line an element; `classic`: the papers' layout. By default the family's own choice. */
  layout?: LayoutName;
  /** Target rate of false positives, between 0 and 1; what a family makes of it is in docs/ALGORITHMS.md. */
  fpr?: number;
  /** 0 to 2^64 - 1; 0 by default. The same seed and input give the same answers. */
  seed?: number | bigint;
  /** `xxh64` by default, `siphash` with a secret. */
  fingerprint?: FingerprintName;
  /**
   * The key of a keyed detector, which nobody who does not hold it can craft input against (docs/SECURITY.md): 16 bytes,
   * 32 hexadecimal digits, or `random`. Snapshots hold it.
   */
  secret?: Uint8Array | string;
  /** Parameters by the papers' letters, such as `{ K: 2, P: 4, Max: 1 }`; they override what would be chosen. */
  parameters?: Readonly<Record<string, ParameterValue>>;
  /** Gaps of the stream's duplicates, in elements, from which `sbf` chooses Max and K. */
  gapsElements?: readonly number[];
  /**
   * How far back repeats are surely found, by a family that has a window: so many elements, as a number or as text, or a
   * duration such as `500ms`, `90s`, `30m`, `1h`, `1d`, for which `Detector.advance` tells the time.
   */
  window?: number | string;
  /** Whether every repeat begins the window anew, and not only what is reported distinct. */
  refresh?: boolean;
  /**
   * Whether a witness measures the error rates while the detector runs (docs/WITNESS.md), and in how much memory, 512KiB by
   * default. None by default. It changes no answer.
   */
  witness?: boolean | { memory: number | string };
}

/** All that decides a detector's answers, and the witness. Two detectors of equal settings answer alike. */
export interface DetectorSettings {
  family: Family;
  memoryBytes: number;
  layout: LayoutName;
  seed: bigint;
  fingerprint: FingerprintName;
  /** Of a keyed detector only. */
  secret?: Secret;
  parameters: ResolvedParameters;
  /** Bytes of the witness; 0 for none. */
  witnessBytes: number;
}

/** @throws FirstseenError E_ALGORITHM, E_MEMORY or E_PARAMETER saying what was given and what is possible. */
export function resolveSettings(options: DetectorOptions = {}): DetectorSettings {
  const family = options.algorithm === undefined ? impliedFamily(options) : familyNamed(options.algorithm);
  const memoryBytes = checkedMemory(options.memory ?? DEFAULT_MEMORY_BYTES);
  const layout = checkedLayout(options.layout ?? family.layout, family);
  const isKeyed = options.secret !== undefined;
  const fingerprint = checkedFingerprint(options.fingerprint ?? (isKeyed ? 'siphash' : 'xxh64'), isKeyed);
  const given = options.parameters ?? {};
  checkLetters(given, family);
  checkHasWindow(options, family);
  const parameters = family.resolve({
    memoryBytes,
    layout,
    fingerprint,
    given,
    ...(options.fpr === undefined ? {} : { fpr: checkedRate(options.fpr) }),
    ...(options.gapsElements === undefined ? {} : { gapsElements: checkedGaps(options.gapsElements) }),
    ...(options.window === undefined ? {} : { window: checkedWindow(options.window) }),
    ...(options.refresh === undefined ? {} : { refresh: checkedRefresh(options.refresh) }),
  });
  const seed = checkedSeed(options.seed ?? 0);
  const secret = options.secret === undefined ? {} : { secret: new Secret(options.secret) };
  const witnessBytes = resolveWitnessBytes(options.witness ?? false);
  return { family, memoryBytes, layout, seed, fingerprint, ...secret, parameters, witnessBytes };
}

/** Bytes of the cells: as the family says, or whole words in `classic`, whole lines in `blocked`. */
export function cellsBytesOf(settings: DetectorSettings): number {
  if (settings.parameters.cellsBytes !== undefined) return settings.parameters.cellsBytes;
  const unitBytes = settings.layout === 'blocked' ? LINE_BYTES : WORD_BYTES;
  return Math.floor(settings.memoryBytes / unitBytes) * unitBytes;
}

/** The parameters that were not derived from others: given back, they make the same detector. */
export function ownParameters(settings: DetectorSettings): Record<string, ParameterValue> {
  const own: Record<string, ParameterValue> = {};
  for (const { letter, derived } of settings.family.parameters) {
    const value = settings.parameters.values[letter];
    if (!derived && value !== undefined) own[letter] = value;
  }
  return own;
}

function impliedFamily({ window, refresh }: DetectorOptions): Family {
  return window === undefined && refresh === undefined ? defaultFamily : windowFamily;
}

function checkHasWindow({ window, refresh }: DetectorOptions, family: Family): void {
  if (family.hasWindow || (window === undefined && refresh === undefined)) return;
  const names = families.filter(({ hasWindow }) => hasWindow).map(({ name }) => name);
  throw new FirstseenError(
    'E_PARAMETER',
    `${window === undefined ? 'refresh' : 'window'} was given, but ${family.name} has no window; choose ${names.join(' or ')}, or leave it out`,
  );
}

/** Digits, with a power of ten if there are many: 1000000 or 1e6. */
const COUNT = /^\d+(\.\d+)?(e\+?\d+)?$/i;

/** @throws FirstseenError E_PARAMETER for what is neither a number of elements nor a duration. */
export function checkedWindow(window: number | string): Window {
  const milliseconds = typeof window === 'string' ? parseMilliseconds(window) : undefined;
  if (milliseconds !== undefined && milliseconds >= 1) return { milliseconds };
  const elements = typeof window === 'string' && COUNT.test(window) ? Number(window) : window;
  if (typeof elements === 'number' && Number.isSafeInteger(elements) && elements > 0) return { elements };
  throw new FirstseenError(
    'E_PARAMETER',
    `window is ${JSON.stringify(window)}, but must be a whole number of elements, 1 or more, or a duration of 1ms or more, such as 90s, 30m, 1h or 1d`,
  );
}

function checkedRefresh(refresh: boolean): boolean {
  if (typeof refresh === 'boolean') return refresh;
  throw new FirstseenError('E_PARAMETER', `refresh is ${JSON.stringify(refresh)}, but must be true or false`);
}

function checkedMemory(memory: number | string): number {
  const bytes = parseBytes(memory);
  if (bytes < LEAST_MEMORY_BYTES) {
    throw new FirstseenError(
      'E_MEMORY',
      `memory is ${formatCounted(bytes, 'byte')}, but a detector needs at least 1KiB`,
    );
  }
  return bytes;
}

function checkedLayout(layout: string, family: Family): LayoutName {
  const found = layoutNames.find((name) => name === layout);
  if (found && family.layouts.includes(found)) return found;
  throw new FirstseenError(
    'E_PARAMETER',
    `layout is "${layout}", but that of ${family.name} must be ${family.layouts.join(' or ')}`,
  );
}

/** @throws FirstseenError E_PARAMETER for what is no rate. */
export function checkedRate(fpr: number): number {
  if (typeof fpr === 'number' && fpr > 0 && fpr < 1) return fpr;
  throw new FirstseenError(
    'E_PARAMETER',
    `fpr is ${typeof fpr === 'string' ? `"${fpr}"` : fpr}, but a rate of false positives is a number between 0 and 1, such as 1e-6`,
  );
}

/** @throws FirstseenError E_PARAMETER for what is no list of gaps. */
export function checkedGaps(gaps: readonly number[]): readonly number[] {
  if (Array.isArray(gaps) && gaps.length > 0 && gaps.every((gap) => Number.isSafeInteger(gap) && gap > 0)) return gaps;
  throw new FirstseenError(
    'E_PARAMETER',
    'gaps must be a list of at least one whole number of elements, each 1 or more',
  );
}

/** @throws FirstseenError E_PARAMETER when it is no whole number from 0 to 2^64 - 1. */
export function checkedSeed(seed: number | bigint): bigint {
  const isWhole = typeof seed === 'bigint' || Number.isSafeInteger(seed);
  if (isWhole && seed >= 0 && BigInt(seed) < 2n ** 64n) return BigInt(seed);
  throw new FirstseenError('E_PARAMETER', `seed is ${seed}, but must be a whole number from 0 to 2^64 - 1`);
}

function checkedFingerprint(name: string, isKeyed: boolean): FingerprintName {
  if (!isFingerprintName(name)) {
    throw new FirstseenError(
      'E_PARAMETER',
      `fingerprint is "${name}", but must be one of ${fingerprintNames.join(', ')}`,
    );
  }
  if (fingerprintKinds[name].isKeyed === isKeyed) return name;
  throw new FirstseenError(
    'E_PARAMETER',
    isKeyed
      ? `fingerprint ${name} was given beside a secret, which it does not use; leave the one or the other out`
      : `fingerprint ${name} needs a secret, and none was given; give one, or leave the fingerprint out`,
  );
}

function checkLetters(given: Readonly<Record<string, ParameterValue>>, family: Family): void {
  const settable = family.parameters.filter(({ derived }) => !derived).map(({ letter }) => letter);
  for (const letter of Object.keys(given)) {
    if (settable.includes(letter)) continue;
    const known = settable.length > 0 ? `takes ${settable.join(', ')}` : 'takes none';
    throw new FirstseenError(
      'E_PARAMETER',
      `there is no parameter "${letter}" to give to ${family.name}, which ${known}`,
    );
  }
}
