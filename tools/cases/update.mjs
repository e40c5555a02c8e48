// Writes what the built command does into the files of cases.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { readTopic } from './folder.mjs';
import { formatCases } from './format.mjs';
import { actualCase } from './run.mjs';

/** Runs the built command of a repository to its end. */
export function runBuilt(root, args, { cwd = root, stdin = [] } = {}) {
  const main = join(root, 'packages/firstseen/dist/cli/main.js');
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args], { cwd, input: Buffer.concat(stdin) });
  return { code: status, stdout, stderr: String(stderr) };
}

/** The text of a topic in which the chosen cases expect what the command does now. */
export async function updatedTopic(topic, { root, folder, isChosen = () => true }) {
  const file = readTopic(topic, folder);
  const run = (args, options) => runBuilt(root, args, options);
  const cases = [];
  for (const one of file.cases) cases.push(isChosen(one) ? await actualCase(one, run) : one);
  return formatCases({ ...file, cases });
}
