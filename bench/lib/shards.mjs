// Shards of a corpus, for programs that read them.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const DOCUMENTS_OF_SHARD = 10_000;

/** Writes texts as records of JSON lines into files of `documents` in a folder, as Dolma reads them; returns their paths. */
export function writeShards(texts, folder, { isCompressed = false } = {}) {
  mkdirSync(join(folder, 'documents'), { recursive: true });
  const paths = [];
  for (let from = 0; from < texts.length; from += DOCUMENTS_OF_SHARD) {
    const records = texts.slice(from, from + DOCUMENTS_OF_SHARD).map((text, i) => {
      return `${JSON.stringify({ id: String(from + i), text: text.toWellFormed() })}\n`;
    });
    const name = `${String(paths.length).padStart(4, '0')}.jsonl${isCompressed ? '.gz' : ''}`;
    const bytes = Buffer.from(records.join(''));
    writeFileSync(join(folder, 'documents', name), isCompressed ? gzipSync(bytes) : bytes);
    paths.push(join(folder, 'documents', name));
  }
  return paths;
}
