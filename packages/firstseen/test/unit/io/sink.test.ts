import { expect, test } from 'vitest';
import { FirstseenError } from '../../../src/base/errors.js';
import { endedBy, OutputClosed, outputError } from '../../../src/io/sink.js';

test.each([
  [new OutputClosed(), { interrupted: true, error: null }],
  [new FirstseenError('E_RECORD', 'bad'), { interrupted: false, error: 'E_RECORD' }],
  [new Error('other'), { interrupted: false, error: 'unexpected' }],
  ['thrown', { interrupted: false, error: 'unexpected' }],
])('a run that threw %s ended as %j', (error, expected) => {
  expect(endedBy(error)).toEqual(expected);
});

test('a write error names the output, and a closed pipe is not a failure', () => {
  const full = Object.assign(new Error('no space'), { code: 'ENOSPC' });
  const error = outputError('out.txt', full);
  expect(error).toMatchObject({
    code: 'E_OUTPUT',
    message: expect.stringMatching(/^cannot write out.txt: its disk is full; /),
  });
  expect(error.cause).toBe(full);
  expect(outputError('out.txt', Object.assign(new Error('closed'), { code: 'EPIPE' }))).toBeInstanceOf(OutputClosed);
});
