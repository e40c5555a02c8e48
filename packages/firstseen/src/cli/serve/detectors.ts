// The detectors that a file declares, with the words of FS.CREATE.

import { FirstseenError } from '../../base/errors.js';
import type { SettingsFile } from '../../options/settings.js';
import { requestOf } from '../../serve/operations/createoptions.js';
import type { DeclaredDetector } from '../../serve/store/declared.js';

/** The entry of the file that declares them. */
export const DETECTORS = 'detectors';

type Entries = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Entries {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * The detectors that a file declares.
 * @throws FirstseenError that says which entry is wrong, otherwise as FS.CREATE.
 */
export function declaredIn(file: SettingsFile | undefined): DeclaredDetector[] {
  const entries = file?.entries[DETECTORS];
  if (file === undefined || entries === undefined) return [];
  if (!isObject(entries)) {
    throw new FirstseenError('E_USAGE', `${DETECTORS} in ${file.path} is not an object`, {
      remedy: `give an object such as {"clicks": {"memory": "64MiB"}}`,
    });
  }
  return Object.entries(entries).map(([name, options]) => {
    const origin = `${DETECTORS}.${name} in ${file.path}`;
    try {
      if (!isObject(options)) {
        throw new FirstseenError('E_USAGE', 'it is not an object of options', {
          remedy: 'give an object such as {"memory": "64MiB"}',
        });
      }
      return { name, request: requestOf(options), origin };
    } catch (error) {
      throw error instanceof FirstseenError ? error.at(origin) : error;
    }
  });
}
