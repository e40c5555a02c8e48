// `npm run cases -- --update [TOPIC...]` writes what the command does now into the cases of packages/firstseen/test/cli/cases, or only
// into those of some topics, such as csv/keys, or csv for all of a folder. Read the difference before you commit it.

import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readArguments } from './arguments.mjs';
import { build } from './build.mjs';
import { casesFolder, pathOfTopic, topicsIn } from './cases/folder.mjs';
import { updatedTopic } from './cases/update.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

function refuse(message) {
  console.error(message);
  process.exit(2);
}

const { values, positionals } = readArguments({
  options: { update: { type: 'boolean', default: false } },
  allowPositionals: true,
});
if (!values.update) refuse('usage: npm run cases -- --update [TOPIC...]');
const all = topicsIn(casesFolder);
const isNamed = (topic) => positionals.some((name) => topic === name || topic.startsWith(`${name}/`));
const topics = positionals.length === 0 ? all : all.filter(isNamed);
if (topics.length === 0) refuse(`unknown topic ${positionals.join(' ')}; the topics are ${all.join(', ')}`);

await build(['code', 'labCode']);
let changedCount = 0;
for (const [i, topic] of topics.entries()) {
  const path = pathOfTopic(topic);
  const [before, after] = [readFileSync(path, 'utf8'), await updatedTopic(topic, { root, folder: casesFolder })];
  const isChanged = after !== before;
  if (isChanged) writeFileSync(path, after);
  changedCount += Number(isChanged);
  console.log(`${i + 1} of ${topics.length}: ${topic}${isChanged ? ', changed' : ''}`);
}
console.log(`changed ${changedCount} of ${topics.length} topics; git diff shows what has changed`);
