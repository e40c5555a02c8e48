import { describe, expect, test } from 'vitest';
import { systemDetails, systemProblem } from '../../../../src/io/system/systemproblem.js';

function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: the words of the system, open '/some/path'`), { code });
}

describe('the problem of a system error', () => {
  test.each([
    ['ENOENT', 'read', 'there is no such file', undefined],
    ['ENOENT', 'write', 'its folder does not exist', 'create the folder, or name another file'],
    ['EISDIR', 'write', 'it is a directory', 'name a file'],
    ['EACCES', 'read', 'permission denied', undefined],
    ['ENOSPC', 'write', 'its disk is full', 'free space, or name a file on another disk'],
  ] as const)('%s on %s: %s', (code, access, problem, remedy) => {
    const error = systemError(code);
    expect(systemProblem(error, access)).toEqual(remedy ? { problem, remedy } : { problem });
    expect(systemDetails(error, access)).toEqual({ ...(remedy ? { remedy } : {}), cause: error });
  });

  test('is in the words of the system if its code is not known, without the call and the path', () => {
    expect(systemProblem(systemError('EIO'), 'read')).toEqual({ problem: 'EIO: the words of the system' });
    expect(systemProblem('thrown text', 'read')).toEqual({ problem: 'thrown text' });
  });
});
