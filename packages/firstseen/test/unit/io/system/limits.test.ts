import { describe, expect, test } from 'vitest';
import { FirstseenError } from '../../../../src/base/errors.js';
import {
  checkMemory,
  checkOpenFiles,
  explainNotGranted,
  limitsHere,
  memoryLimit,
} from '../../../../src/io/system/limits.js';

const MIB = 2 ** 20;

function warningsOf(detectorBytes: number, memoryBytes: number | undefined): string[] {
  const warnings: string[] = [];
  const onWarning = ({ message }: FirstseenError) => warnings.push(message);
  checkMemory({ detectorBytes, onWarning }, { memoryBytes, usedBytes: 50 * MIB, usedFiles: 20 });
  return warnings;
}

describe('the memory of a control group', () => {
  test('that is too small is refused with the numbers', () => {
    expect(() => warningsOf(1024 * MIB, 300 * MIB)).toThrow(
      'the detector takes 1GiB, but the control group (container) of this process is limited to 300MiB, of which the ' +
        'process already uses 50MiB; give less memory, or raise the limit',
    );
  });

  test('that is nearly too small is warned of', () => {
    expect(warningsOf(200 * MIB, 300 * MIB)).toEqual([
      expect.stringContaining('the system may end the run; give less'),
    ]);
  });

  test('that is large enough, or not limited, is not mentioned', () => {
    expect(warningsOf(64 * MIB, 300 * MIB)).toEqual([]);
    expect(warningsOf(4096 * MIB, undefined)).toEqual([]);
  });
});

test('a limit of the process that Node counts as memory is not taken for one of a control group', () => {
  const limits = 'Max data size             unlimited            unlimited            bytes';
  const addressSpace = 'Max address space         6144000000           6144000000           bytes';
  const data = 'Max data size             3072000000           unlimited            bytes';
  expect(memoryLimit(`${limits}\n${addressSpace}`, 6_144_000_000)).toBeUndefined();
  expect(memoryLimit(`${data}\n${addressSpace}`, 3_072_000_000)).toBeUndefined();
  expect(memoryLimit(`${limits}\n${addressSpace}`, 300 * MIB)).toBe(300 * MIB);
  expect(memoryLimit(limits, 2 ** 64)).toBeUndefined();
  expect(memoryLimit(limits, 0)).toBeUndefined();
});

test('too few open files are refused with the numbers', () => {
  expect(() => checkOpenFiles({ openFiles: 24, usedFiles: 20, usedBytes: 0 })).toThrow(
    'this process may have 24 open files and has 20, but a run needs up to 12 more; raise the limit (ulimit -n)',
  );
  checkOpenFiles({ openFiles: 32, usedFiles: 20, usedBytes: 0 });
  checkOpenFiles({ usedFiles: 20, usedBytes: 0 });
});

test('a limit of the address space is named with memory that was not granted', () => {
  const error = new FirstseenError('E_MEMORY', 'not granted', { remedy: 'give less', cause: new RangeError() });
  const limits = { addressSpaceBytes: 2 * 1024 * MIB, usedFiles: 0, usedBytes: 0 };
  expect(explainNotGranted(error, limits)).toMatchObject({
    message: expect.stringContaining(
      'not granted; give less, or raise the limit of the address space (ulimit -v), which is 2GiB',
    ),
  });
  expect(explainNotGranted(error, { ...limits, addressSpaceBytes: undefined })).toBe(error);
});

test('the limits of this process are plausible', () => {
  const { usedBytes, usedFiles } = limitsHere();
  expect(usedBytes).toBeGreaterThan(MIB);
  if (process.platform === 'linux') expect(usedFiles).toBeGreaterThan(2);
});
