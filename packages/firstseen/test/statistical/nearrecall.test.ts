// Streams in which many documents of one template are kept: a near-duplicate must be found among all of them.

import { expect, test } from 'vitest';
import { NearDetector } from '../../src/near/detector.js';
import { drawWords, editWords, jaccardOf, shinglesOf } from '../support/documents.js';
import { Random } from '../support/streams.js';

const DOCUMENTS = 400;
const MAX_EDITED = 0.066;

test.each([0.8, 0.9])('a document near any of the kept ones of its template is found at %d', async (similarity) => {
  const near = await NearDetector.create({ similarity, memory: '4MiB', seed: 5 });
  const random = new Random(11);
  const template = drawWords(120, random);
  const keptDocuments: ReadonlySet<string>[] = [];
  let [duplicates, found, dropped] = [0, 0, 0];
  for (let i = 0; i < DOCUMENTS; i++) {
    const words = editWords(template, (random.below(1000) / 1000) * MAX_EDITED, random);
    const shingles = shinglesOf(words, 5);
    const isNear = keptDocuments.some((earlier) => jaccardOf(shingles, earlier) >= similarity);
    const isDropped = near.observe(words.join(' ')).verdict === 'duplicate';
    duplicates += Number(isNear);
    dropped += Number(isDropped);
    found += Number(isNear && isDropped);
    if (!isDropped) keptDocuments.push(shingles);
  }
  near.close();
  expect(duplicates).toBeGreaterThan(50);
  expect(found / duplicates).toBeGreaterThanOrEqual(0.96);
  expect(found / dropped).toBeGreaterThanOrEqual(0.98);
});
