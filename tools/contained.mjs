// Runs a program as a container does: the first process, as another user, where one folder can be written. No daemon of containers is
// needed, only root and namespaces.

import { spawnSync } from 'node:child_process';

/** The user that has nothing. */
export const NOBODY = 65_534;

const namespace = ['--mount', '--pid', '--fork', '--kill-child'];
const asNobody = ['setpriv', '--reuid', NOBODY, '--regid', NOBODY, '--clear-groups', '--no-new-privs'].map(String);

/** Makes everything but a folder read-only. A folder that another user cannot reach can be shown in place of another one. */
const SCRIPT = `
set -e
mount --make-rprivate /
if [ -n "$3" ]; then mount --bind "$3" "$4"; fi
mount --bind "$1" "$1"
mount -o remount,bind,ro /
if touch "$2/probe" 2> /dev/null; then echo 'the root can be written' >&2; exit 99; fi
cd "$1"
shift 4
exec ${asNobody.join(' ')} "$@"
`;

/** Whether a program can be run so here. */
export function canContain() {
  const probe = ['sh', '-c', `mount --make-rprivate / && ${asNobody.join(' ')} true`];
  return process.getuid?.() === 0 && spawnSync('unshare', [...namespace, ...probe]).status === 0;
}

/**
 * The words of a command that runs a program so.
 * @param folder what can be written
 * @param readOnly a folder that must not be
 * @param shown a folder that is shown in place of another one: both
 */
export function containedWords({ folder, readOnly, shown: [from, to] = ['', ''] }, program) {
  return ['unshare', ...namespace, 'sh', '-c', SCRIPT, 'sh', folder, readOnly, from, to, ...program];
}
