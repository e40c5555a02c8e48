// One way to find near-duplicates in a stream of groups, in a separate process so that its memory can be measured: node
// near-process.mjs tables|firstseen GROUPS SIMILARITY

import { createNear } from 'firstseen/near';
import { groupedDocuments, SHINGLE_WORDS } from './groups.mjs';
import { HashTables } from './hashtables.mjs';

const [method, groups, similarity] = process.argv.slice(2);
const near = await createNear({ similarity: Number(similarity), memory: '16MiB', verify: false });
const tables = new HashTables({ ...near.settings, seed: 3 });
let id = 0;
for (const { words } of groupedDocuments(Number(groups), 9)) {
  if (method === 'tables') tables.observe(id++, words, SHINGLE_WORDS);
  else near.observe(words.join(' '));
}
