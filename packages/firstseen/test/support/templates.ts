// Streams of documents that share a template and have words of their own: each is as similar to each other one.

import { NearDetector } from '../../src/near/detector.js';
import { standardErrorAt } from '../../src/near/plan.js';
import type { NearOptions } from '../../src/near/settings.js';
import { sketchBytes } from '../../src/options/verify.js';
import { Random } from './streams.js';

const SHINGLE_WORDS = 5;

export interface TemplateStream {
  /** Shingles that all documents have. */
  shared: number;
  /** Shingles that only one document has. */
  own: number;
  documents: number;
  seed: number;
  options: NearOptions;
}

/** The exact similarity of any two of the documents. */
export function similarityIn({ shared, own }: Pick<TemplateStream, 'shared' | 'own'>): number {
  return shared / (shared + 2 * own);
}

/** Standard errors that the estimate of documents is below the threshold. The errors of odd sketches have long tails. */
const MARGIN = 4.5;

/** The fewest shingles of its own by which a document is less similar to the others than this, and more so than an estimate may be wrong. */
export function ownBelow(similarity: number, shared: number): number {
  let own = 1;
  const margin = () =>
    MARGIN * standardErrorAt(similarity, shared + own, { sketchBytes: sketchBytes.default, sketchSlots: 3 });
  while (similarityIn({ shared, own }) >= similarity - margin()) own++;
  return own;
}

const words = (random: Random, count: number) => Array.from({ length: count }, () => `w${random.nextWord()}`);

/** The share of the documents of the last tenth of the stream that is dropped. The words of a document are at both ends of the template. */
export async function droppedLast({ shared, own, documents, seed, options }: TemplateStream): Promise<number> {
  const near = await NearDetector.create({ ...options, seed });
  const random = new Random(1000 * seed + shared);
  const template = words(random, shared + SHINGLE_WORDS - 1);
  const lastTenth = Math.floor(0.9 * documents);
  let dropped = 0;
  for (let i = 0; i < documents; i++) {
    const before = random.below(own + 1);
    const text = [...words(random, before), ...template, ...words(random, own - before)].join(' ');
    const { verdict } = near.observe(text);
    if (i >= lastTenth && verdict === 'duplicate') dropped++;
  }
  near.close();
  return dropped / (documents - lastTenth);
}
