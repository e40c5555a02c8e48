// Checks of a request for a detector: its name, its rate, and whether the detector that exists is the same.

import { FirstseenError, optionName, phrase, shownValue } from '../../base/errors.js';
import type { DetectorSettings } from '../../detectors/settings.js';
import { boundOf } from '../../plan/bound.js';
import { differingSettings, PARAMETER } from '../../pool/differences.js';
import type { DetectorEntry } from './entry.js';
import type { ClaimsRequest, DetectorRequest } from './request.js';

/** The character that a text has in place of bytes that are not UTF-8. */
const REPLACEMENT = '\ufffd';
/** Control characters, and ends of lines and paragraphs. */
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}]/u;
/** Anything but spaces, and characters that have no width. */
const visible = /[^\p{Z}\p{C}]/u;
/** Segments of a path that clients of HTTP take out of it. */
const pathWords: readonly string[] = ['.', '..'];

/** Tells if clients of HTTP take a name out of a path. */
export function isPathWord(name: string): boolean {
  return pathWords.includes(name);
}

/** Why a detector cannot have a name, and what to give; undefined if it can. */
function nameProblem(name: string, maxBytes: number): [problem: string, remedy: string] | undefined {
  // All bytes that are not UTF-8 are read as this character, so two names would be one.
  if (name.includes(REPLACEMENT)) return ['is not UTF-8', 'give another name'];
  const bytes = Buffer.byteLength(name);
  if (bytes === 0 || bytes > maxBytes) return [`has ${bytes} bytes`, `give a name of 1 to ${maxBytes} bytes`];
  if (unprintable.test(name))
    return ['has a control character', 'give a name without line breaks and control characters'];
  if (!visible.test(name)) return ['has only spaces', 'give a name with a visible character'];
  if (isPathWord(name)) return ['cannot be in the path of a request', 'give another name'];
  return undefined;
}

/** @throws FirstseenError E_USAGE for a name that no new detector can have */
export function checkName(name: string, maxBytes: number): void {
  const wrong = nameProblem(name, maxBytes);
  if (wrong === undefined) return;
  const [problem, remedy] = wrong;
  throw new FirstseenError('E_USAGE', `the name ${shownValue(name)} ${problem}`, { remedy });
}

const PROPOSED_FPR = '1e-3';

/**
 * Refuses a detector that may call every new key a duplicate, unless its parameters were given: `sqf` without a rate is that of its paper,
 * whose rows hold every signature once they are full.
 * @throws FirstseenError E_PARAMETER
 */
export function checkRate({ options: { fpr, parameters = {} } }: DetectorRequest, settings: DetectorSettings): void {
  const isGiven = fpr !== undefined || Object.keys(parameters).length > 0;
  if (isGiven || (boundOf(settings) ?? 0) < 1) return;
  const problem = `${settings.family.name} without a rate has the parameters of its paper, and calls all new keys duplicates once it is full`;
  throw new FirstseenError('E_PARAMETER', problem, {
    option: 'fpr',
    remedy: phrase`give ${optionName('fpr')} ${PROPOSED_FPR}, or its parameters`,
  });
}

/** Tells the window in the words of its option. Parameters that follow from another window or algorithm say nothing besides. */
function shownDifferences(
  existing: DetectorRequest,
  request: DetectorRequest,
  differing: ReturnType<typeof differingSettings>,
): string[] {
  const [window, otherWindow] = [existing, request].map(({ options }) => options.window ?? 'none');
  const parameters = differing.filter(({ name }) => name.startsWith(PARAMETER));
  const hasOtherWindow = parameters.length > 0 && window !== otherWindow;
  const isImplied = hasOtherWindow || differing.some(({ name }) => name === 'algorithm');
  const shown = isImplied ? differing.filter((one) => !parameters.includes(one)) : differing;
  const texts = shown.map(({ name, values }) => `${name} is ${values[0]}, not ${values[1]}`);
  return hasOtherWindow ? [...texts, `window is ${window}, not ${otherWindow}`] : texts;
}

/** Returns the differences between a request and an existing detector, one text for each setting. */
function differences(entry: DetectorEntry, request: DetectorRequest, settings: DetectorSettings): string[] {
  const existing = entry.detector.settings;
  const differing = shownDifferences(entry.request, request, differingSettings(existing, settings));
  const [isKeyed, asksKeyed] = [existing, settings].map(({ secret }) => (secret ? 'a secret' : 'no secret'));
  const keyed = isKeyed === asksKeyed ? [] : [`it has ${isKeyed}, not ${asksKeyed}`];
  const [filter, other] = [entry.request, request].map((one) => filterText(one));
  return [...differing, ...keyed, ...(filter === other ? [] : [`it is ${filter}, not ${other}`])];
}

function filterText({ filter, claims }: DetectorRequest): string {
  if (claims !== undefined) return `a detector for claims${claimsText(claims)}`;
  if (filter === undefined) return 'a detector without claims';
  const { capacity, errorRate, isNonScaling } = filter;
  return `a filter of ${capacity} items at the rate ${errorRate}${isNonScaling ? ' that refuses more' : ''}`;
}

function claimsText({ leaseMilliseconds, pending }: ClaimsRequest): string {
  const lease = leaseMilliseconds === undefined ? '' : ` with leases of ${leaseMilliseconds} ms`;
  return pending === undefined ? lease : `${lease}, ${pending} at most`;
}

/** @throws FirstseenError E_USAGE unless a detector is what is asked for. */
export function checkSame(entry: DetectorEntry, request: DetectorRequest, settings: DetectorSettings): void {
  const differing = differences(entry, request, settings);
  if (differing.length === 0) return;
  const problem = `the detector ${shownValue(entry.name)} exists with other options: ${differing.join('; ')}`;
  throw new FirstseenError('E_USAGE', problem, { remedy: 'give the same options or another name, or drop it first' });
}
