// Files that contain output of the built command and change when a family is added.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { topicsIn } from '../cases/folder.mjs';
import { runBuilt, updatedTopic } from '../cases/update.mjs';

const COMMAND_PAGES = 'docs/command';
const CASES = 'packages/firstseen/test/cli/cases/';

/** The help of a command. @throws Error if it does not run, as when another program builds it at the same time */
function helpOf(root, names) {
  const { code, stdout, stderr } = runBuilt(root, [...names, '--help']);
  if (code === 0) return String(stdout).trimEnd();
  throw new Error(`firstseen ${[...names, '--help'].join(' ')} ended with ${code}: ${stderr}`);
}

/** A page of docs/command with the current help of each command under its heading. */
function withHelp(root, page) {
  const sections = /^(## firstseen(.*) --help\n\n```text\n)(?:[\s\S]*?\n)?```$/gm;
  return page.replace(
    sections,
    (_section, opening, names) => `${opening}${helpOf(root, names.split(' ').filter(Boolean))}\n\`\`\``,
  );
}

/** The texts of the pages of docs/command, by their paths, with the current help. */
export function commandHelp(root) {
  const paths = readdirSync(join(root, COMMAND_PAGES)).map((name) => `${COMMAND_PAGES}/${name}`);
  return Object.fromEntries(paths.map((path) => [path, withHelp(root, readFileSync(join(root, path), 'utf8'))]));
}

/** Whether a text lists the families. Newly added families may be missing. */
function listsFamilies(text, names) {
  return names.filter((name) => new RegExp(`\\b${name}\\b`).test(text)).length > names.length / 2;
}

/** The current texts of the files of cases, by their paths. Only the cases that list all families are run. */
export async function familyCases(root, names) {
  const folder = join(root, CASES);
  const isChosen = ({ runs }) =>
    runs.some(({ stdout, stderr }) => listsFamilies(`${stdout?.bytes ?? ''}${stderr?.bytes ?? ''}`, names));
  const texts = await Promise.all(
    topicsIn(folder).map(async (topic) => [
      `${CASES}${topic}.txt`,
      await updatedTopic(topic, { root, folder, isChosen }),
    ]),
  );
  return Object.fromEntries(texts);
}
