// Detectors that exist before the first client.

import { unlessAborted } from '../../base/abort.js';
import { FirstseenError, optionName, phrase } from '../../base/errors.js';
import { formatBytes } from '../../base/memory.js';
import { MIN_MEMORY_BYTES } from '../../detectors/settings.js';
import { madeByItself } from './filter.js';
import type { DetectorRequest } from './request.js';
import { costOf } from './room.js';
import type { DetectorStore } from './store.js';

export interface DeclaredDetector {
  name: string;
  request: DetectorRequest;
  /** The place where it is declared, for errors. */
  origin: string;
}

/** The error for a detector that was made from other options: nobody can drop it while the server does not start. */
function otherOptions({ origin }: DeclaredDetector, { code, data }: FirstseenError): FirstseenError {
  return new FirstseenError(code, phrase`${origin}: ${data.problem}`, {
    remedy:
      'declare it as it is, or another name; or start without this entry, drop the detector with FS.DROP, and start again',
  });
}

/**
 * Makes the detectors that there are not yet.
 * @returns the names of those that were not there before: they are empty
 * @throws FirstseenError that says where the detector is declared: E_USAGE when it exists with other options, otherwise as `create`; the
 * reason of `stopping`.
 */
export async function makeDeclared(
  store: DetectorStore,
  declared: readonly DeclaredDetector[],
  stopping?: AbortSignal,
): Promise<string[]> {
  const made: string[] = [];
  for (const one of declared) {
    const exists = store.find(one.name) !== undefined;
    try {
      // A plan takes seconds.
      await unlessAborted(store.create(one.name, one.request), stopping);
      if (!exists) made.push(one.name);
    } catch (error) {
      if (!(error instanceof FirstseenError)) throw error;
      throw exists && error.code === 'E_USAGE' ? otherOptions(one, error) : error.at(one.origin);
    }
  }
  return made;
}

/** @throws FirstseenError E_MEMORY for less than any filter takes */
function checkLeastFilter(filterBytes: number): void {
  if (filterBytes >= MIN_MEMORY_BYTES) return;
  const [filter, least] = [filterBytes, MIN_MEMORY_BYTES].map(formatBytes) as [string, string];
  throw new FirstseenError(
    'E_MEMORY',
    phrase`${optionName('autoCreateBytes')} is ${filter}, but a filter takes at least ${least}`,
    {
      remedy: phrase`give a larger ${optionName('autoCreateBytes')}, or leave it out, so that no filter is made by itself`,
    },
  );
}

/**
 * Checks that a filter that is made by itself has room besides the detectors that are declared.
 * @param declared those that are made already
 * @throws FirstseenError E_MEMORY when the first item for a new filter would be refused
 */
export async function checkMadeByItself(
  store: DetectorStore,
  filterBytes: number | undefined,
  declared: readonly DeclaredDetector[] = [],
): Promise<void> {
  if (filterBytes === undefined) return;
  checkLeastFilter(filterBytes);
  const request = madeByItself(filterBytes);
  const settings = await store.planning.settingsOf(request.options);
  const cost = costOf(settings, request) + store.newPoolBytes(settings);
  const declaredBytes = declared
    .map(({ name }) => store.find(name))
    .reduce((bytes, entry) => bytes + (entry?.costBytes ?? 0), 0);
  if (cost + declaredBytes <= store.memoryBytes) return;
  const [filter, limit, declaredSize] = [cost, store.memoryBytes, declaredBytes].map(formatBytes) as [
    string,
    string,
    string,
  ];
  const besides = declaredBytes > 0 ? `, of which declared detectors take ${declaredSize}` : '';
  throw new FirstseenError(
    'E_MEMORY',
    phrase`a filter of ${optionName('autoCreateBytes')} takes ${filter}, but ${optionName('memoryBytes')} is ${limit}${besides}`,
    { remedy: phrase`give a smaller ${optionName('autoCreateBytes')}, or a larger ${optionName('memoryBytes')}` },
  );
}
