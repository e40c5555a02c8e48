// Folders that a process locks and changes in place, which a store does not have.

import { FirstseenError, optionName, phrase } from '../base/errors.js';
import { isObjectName, withoutSecrets } from '../io/system/objectname.js';

/** @throws FirstseenError E_USAGE for the name of an object, of which a folder of that name would be made */
export function checkLocalFolder(option: string, path: string | undefined): void {
  if (path === undefined || !isObjectName(path)) return;
  throw new FirstseenError(
    'E_USAGE',
    phrase`${optionName(option)} is ${withoutSecrets(path)}, but has to be a folder`,
    {
      option,
      remedy: 'name a folder of this machine, or a volume that is mounted, and copy its backups to the store',
    },
  );
}
