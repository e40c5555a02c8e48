// The options of `firstseen serve`, from flags, variables and a file.

import { readFile } from 'node:fs/promises';
import { FirstseenError, shownValue } from '../../base/errors.js';
import { repeatedKey } from '../../base/jsonkeys.js';
import { systemPath } from '../../io/system/paths.js';
import { systemDetails, systemProblem } from '../../io/system/systemproblem.js';
import { longFlag } from '../../options/longflag.js';
import * as rows from '../../options/serve.js';
import { type Settings, type SettingsFile, settingsOf, variableOf } from '../../options/settings.js';
import { checkLocalFolder } from '../localfolder.js';
import type { GivenValues } from '../options.js';
import { DETECTORS } from './detectors.js';

/** Variables with the prefix that belong to the run, not to the server. */
export const otherVariables = ['FIRSTSEEN_DEBUG'];

async function contentOf(path: string): Promise<string> {
  try {
    return await readFile(systemPath(path), 'utf8');
  } catch (cause) {
    const { problem } = systemProblem(cause, 'read');
    const text = `cannot read ${path}, which ${longFlag(rows.config)} names: ${problem}`;
    throw new FirstseenError('E_INPUT', text, systemDetails(cause, 'read'));
  }
}

/** @throws FirstseenError E_INPUT for a file that cannot be read, E_USAGE for one that is not a JSON object. */
async function readSettingsFile(path: string): Promise<SettingsFile> {
  const text = await contentOf(path);
  let entries: unknown;
  try {
    entries = JSON.parse(text);
  } catch (cause) {
    throw new FirstseenError('E_USAGE', `${path} is not JSON: ${(cause as Error).message}`, {
      remedy: 'correct it',
      cause,
    });
  }
  const repeatedEntry = repeatedKey(text);
  if (repeatedEntry) {
    const name = repeatedEntry.path.join('.');
    throw new FirstseenError(
      'E_USAGE',
      `${shownValue(name)} is given twice in ${path}, again in line ${repeatedEntry.line}`,
      {
        remedy: 'leave one of them out',
      },
    );
  }
  if (typeof entries !== 'object' || entries === null || Array.isArray(entries)) {
    throw new FirstseenError('E_USAGE', `${path} is not an object of options`, {
      remedy: 'give an object such as {"memory": "1GiB"}',
    });
  }
  return { path, entries: entries as SettingsFile['entries'] };
}

/** The settings of the server, and the file that has a part of them. */
export interface ServeSettings {
  settings: Settings;
  file: SettingsFile | undefined;
}

/**
 * Reads the options of the server.
 * @param flags the values of the flags
 * @throws FirstseenError that says where a value was given.
 */
export async function readSettings(
  flags: GivenValues,
  variables: NodeJS.ProcessEnv = process.env,
): Promise<ServeSettings> {
  const path = (flags.config as string | undefined) || variables[variableOf(rows.config)];
  const file = path ? await readSettingsFile(path) : undefined;
  const { serveRows, rowsWithoutEntry } = rows;
  const otherEntries = [DETECTORS];
  const settings = settingsOf({
    ...{ rows: serveRows, rowsWithoutEntry, flags, variables, otherVariables, file, otherEntries },
    owner: 'the server',
  });
  checkLocalFolder('folder', settings.givenOf(rows.folder));
  return { settings, file };
}
