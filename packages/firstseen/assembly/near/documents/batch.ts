// Signs the documents of a batch one after the other, from the spans of their keys. The host reads a span in the same way
// (src/jobs/near/span.ts).

import { QUOTE } from '../../lib/bytes';
import { COMPOSITE_LENGTH_BYTES } from '../../lib/fingerprint';
import { bandElements, bandsBytes } from '../bands';
import { documentShingles } from '../shingles';

/** Bytes of the number of shingles of a signed document, after the elements of its bands. */
export const SIGNED_COUNT_BYTES: u32 = 8;

let hasQuotes: bool = false;
let hasId: bool = false;
let minBytes: u32 = 0;
let maxBytes: u32 = 0;
let maxDocuments: u32 = 0;

/**
 * `quotes` is whether texts may be JSON strings with their quotes; `ids` whether a key is a text and a name, each after its
 * length. Only documents of `least` to `most` bytes are signed, and of a batch only the first `documents`.
 */
export function documentsConfigure(quotes: u32, ids: u32, least: u32, most: u32, documents: u32): void {
  hasQuotes = quotes != 0;
  hasId = ids != 0;
  minBytes = least;
  maxBytes = most;
  maxDocuments = documents;
}

/** A family as `signDocuments` uses it. Bound at compile time. */
export abstract class SignatureRule {
  abstract sign(start: u32, end: u32, target: u32): void;
}

/**
 * Signs the documents with the keys at `spans`. The signature of document i is stored at `signatures` + i * `stride`, and the
 * elements of its bands at `elements` + i times the bytes of them and of the number of its shingles, which follows them. If `stride` is 0,
 * only the last signature remains.
 */
export function signDocuments<R extends SignatureRule>(
  spans: u32,
  count: u32,
  signatures: u32,
  stride: u32,
  elements: u32,
): void {
  const rule = changetype<R>(0);
  const last = min(count, maxDocuments);
  for (let i: u32 = 0; i < last; i++) {
    let start = load<u32>(spans + (i << 3));
    let end = load<u32>(spans + (i << 3), 4);
    if (hasId) {
      const length = load<u32>(start);
      start += COMPOSITE_LENGTH_BYTES;
      end = start + length;
    }
    if (hasQuotes && end - start >= 2 && <u32>load<u8>(start) == QUOTE) {
      start++;
      end--;
    }
    if (end - start < minBytes || end - start > maxBytes) continue;
    const signature = signatures + i * stride;
    rule.sign(start, end, signature);
    const target = elements + i * (bandsBytes() + SIGNED_COUNT_BYTES);
    bandElements(signature, target);
    store<u64>(target + bandsBytes(), documentShingles());
  }
}
