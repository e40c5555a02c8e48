// Detectors that exist before the first client.

import { FirstseenError, phrase } from '../../base/errors.js';
import type { DetectorRequest } from './request.js';
import type { DetectorStore } from './store.js';

export interface DeclaredDetector {
  name: string;
  request: DetectorRequest;
  /** Where it is declared, for errors. */
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
 * @throws FirstseenError that says where the detector is declared: E_USAGE when it exists with other options, otherwise as `create`.
 */
export async function makeDeclared(store: DetectorStore, declared: readonly DeclaredDetector[]): Promise<void> {
  for (const one of declared) {
    const exists = store.find(one.name) !== undefined;
    try {
      await store.create(one.name, one.request);
    } catch (error) {
      if (!(error instanceof FirstseenError)) throw error;
      throw exists && error.code === 'E_USAGE' ? otherOptions(one, error) : error.at(one.origin);
    }
  }
}
