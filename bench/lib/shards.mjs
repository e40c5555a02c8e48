// Shards of a corpus, for programs that read them.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const DOCUMENTS_OF_SHARD = 10_000;

/** The texts of a copy of a corpus: all paragraphs of the first are as they are, those of another one begin with its number. */
function textsOfCopy(texts, copy) {
  return copy === 0 ? texts : texts.map((text) => `${copy} ${text.replaceAll('\n', `\n${copy} `)}`);
}

/**
 * Writes texts as records of JSON lines into files of `documents` in a folder, as Dolma reads them; returns their paths. With several
 * copies, a text repeats as much of others as in one, and nothing of another copy.
 */
export function writeShards(texts, folder, { isCompressed = false, copies = 1 } = {}) {
  mkdirSync(join(folder, 'documents'), { recursive: true });
  const paths = [];
  for (let copy = 0; copy < copies; copy++) {
    const own = textsOfCopy(texts, copy);
    for (let from = 0; from < own.length; from += DOCUMENTS_OF_SHARD) {
      const records = own.slice(from, from + DOCUMENTS_OF_SHARD).map((text, i) => {
        return `${JSON.stringify({ id: String(copy * own.length + from + i), text: text.toWellFormed() })}\n`;
      });
      const name = `${String(paths.length).padStart(4, '0')}.jsonl${isCompressed ? '.gz' : ''}`;
      const bytes = Buffer.from(records.join(''));
      writeFileSync(join(folder, 'documents', name), isCompressed ? gzipSync(bytes) : bytes);
      paths.push(join(folder, 'documents', name));
    }
  }
  return paths;
}
