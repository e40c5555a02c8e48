// Files that contain output of the built command and change when a family is added.

import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

const COMMAND_PAGE = 'docs/COMMAND.md';
const CASES = 'packages/firstseen/test/cli/cases';

function runCommand(root, args, { cwd = root, input = '' } = {}) {
  const main = join(root, 'packages/firstseen/dist/cli/main.js');
  return spawnSync(process.execPath, [main, ...args], { cwd, input, encoding: 'utf8' });
}

/** The text of docs/COMMAND.md, by its path, with the current help of each command under its heading. */
export function commandHelp(root) {
  const page = readFileSync(join(root, COMMAND_PAGE), 'utf8');
  const sections = /^(## firstseen(.*) --help\n\n```text\n)(?:[\s\S]*?\n)?```$/gm;
  const text = page.replace(sections, (_section, opening, names) => {
    const { stdout } = runCommand(root, [...names.split(' ').filter(Boolean), '--help']);
    return `${opening}${stdout.trimEnd()}\n\`\`\``;
  });
  return { [COMMAND_PAGE]: text };
}

/** Whether a text lists the families. Newly added families may be missing. */
function listsFamilies(text, names) {
  return names.filter((name) => new RegExp(`\\b${name}\\b`).test(text)).length > names.length / 2;
}

/** The outputs of a case with one command, by the names of the files that hold the expected outputs. */
function outputsOf(root, folder) {
  const lines = readFileSync(join(root, folder, 'cmd'), 'utf8')
    .trimEnd()
    .split('\n');
  const [command] = lines.filter((line) => !line.startsWith('#'));
  const stdin = join(root, folder, 'stdin');
  const input = existsSync(stdin) ? readFileSync(stdin) : '';
  const { stdout, stderr } = runCommand(root, JSON.parse(command), { cwd: join(root, folder), input });
  return { 'expected.stdout': stdout, 'expected.stderr': stderr };
}

/** The current outputs of the cases that list all families, by the paths of the expected outputs. */
export function familyCases(root, names) {
  const expected = readdirSync(join(root, CASES), { recursive: true, encoding: 'utf8' })
    .map((path) => `${CASES}/${path.replaceAll('\\', '/')}`)
    .filter((path) => /^expected\.(stdout|stderr)$/.test(basename(path)))
    .filter((path) => listsFamilies(readFileSync(join(root, path), 'utf8'), names));
  return Object.fromEntries(expected.map((path) => [path, outputsOf(root, dirname(path))[basename(path)]]));
}
