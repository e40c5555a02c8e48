// When several threads are taken for passages, and the memory of their seats.

import { expect, test } from 'vitest';
import { settlePassages } from '../../../../src/jobs/passages/passagesettings.js';
import { passageRegionsEnd, passagesPay } from '../../../../src/jobs/passages/seats.js';

test('auto takes several threads for n-grams from shorter inputs on', () => {
  const [paragraphs, ngrams] = [passagesPay({ by: 'paragraph' }), passagesPay({ by: 'ngram' })];
  expect(ngrams.inputBytes * 4).toBe(paragraphs.inputBytes);
  expect((ngrams.compressedBytes as number) * 4).toBe(paragraphs.compressedBytes);
});

test.each(['paragraph', 'ngram'] as const)('seats of many threads have a bounded part of the memory: %s', (by) => {
  const settings = settlePassages({ inputs: [], by });
  const bytesFor = (threads: number) => passageRegionsEnd(settings, { offset: 0, threads, maxRecordBytes: 2 ** 20 });
  expect(bytesFor(2)).toBeGreaterThan(bytesFor(1));
  expect(bytesFor(32) - bytesFor(1)).toBeLessThan(2 ** 29);
});
