// Files that hold what the built command prints and that change with the list of families.

import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

const COMMAND_PAGE = 'docs/COMMAND.md';
const CASES = 'packages/firstseen/test/cli/cases';

function runCommand(root, args, { cwd = root, input = '' } = {}) {
  const main = join(root, 'packages/firstseen/dist/cli/main.js');
  return spawnSync(process.execPath, [main, ...args], { cwd, input, encoding: 'utf8' });
}

/** docs/COMMAND.md, by its path, with the help of each command under the heading of that command. */
export function commandHelp(root) {
  const page = readFileSync(join(root, COMMAND_PAGE), 'utf8');
  const sections = /^(## firstseen(.*) --help\n\n```text\n)[\s\S]*?\n```$/gm;
  const text = page.replace(sections, (_section, opening, names) => {
    const { stdout } = runCommand(root, [...names.split(' ').filter(Boolean), '--help']);
    return `${opening}${stdout.trimEnd()}\n\`\`\``;
  });
  return { [COMMAND_PAGE]: text };
}

/** Whether a text lists the families, apart from those that were just added. */
function listsFamilies(text, names) {
  return names.filter((name) => new RegExp(`\\b${name}\\b`).test(text)).length > names.length / 2;
}

/** What a case of one command prints, by the files that expect it. */
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

/** The expected outputs of cases that list all families, by their paths. */
export function familyCases(root, names) {
  const expected = readdirSync(join(root, CASES), { recursive: true, encoding: 'utf8' })
    .map((path) => `${CASES}/${path.replaceAll('\\', '/')}`)
    .filter((path) => /^expected\.(stdout|stderr)$/.test(basename(path)))
    .filter((path) => listsFamilies(readFileSync(join(root, path), 'utf8'), names));
  return Object.fromEntries(expected.map((path) => [path, outputsOf(root, dirname(path))[basename(path)]]));
}
