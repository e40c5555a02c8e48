// The command-line cases: one folder each, below a folder of its topic. The file `cmd` holds a line `# what the case shows` and
// the arguments as a JSON array; a case about several runs says so in a second line, `# Several runs: why`, and has an array
// for each. `stdin` is what every run reads. `expected.stdout` and `expected.stderr` are what all runs together write (nothing
// when absent; `expected.stderr.regex` is matched instead), `expected.code` holds their exit codes (0 when absent), and the
// folder `expected` the files that are there afterwards. Everything else is input.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

export interface CommandCase {
  /** Its folders below the folder of cases, separated by `/`. */
  readonly name: string;
  readonly folder: string;
  readonly about: string;
  readonly commands: readonly (readonly string[])[];
  /** Names of the files and folders that the commands find in their working folder. */
  readonly inputs: readonly string[];
}

const controlFiles = 'cmd stdin expected expected.stdout expected.stderr expected.stderr.regex expected.code'.split(
  ' ',
);
const ABOUT = /^# \S.*\.$/;
const SEVERAL = /^# Several runs: \S.*\.$/;

function isControl(name: string): boolean {
  return controlFiles.includes(name);
}

function namesInput(argument: string, input: string): boolean {
  return argument.replace(/^\.\//, '').split('/')[0] === input;
}

/** What is wrong with a case as it is written, in sentences; nothing for a good one. */
export function caseProblems(cmd: string, names: readonly string[]): string[] {
  const [about = '', ...rest] = cmd.trimEnd().split('\n');
  const saysSeveral = SEVERAL.test(rest[0] ?? '');
  const commands = saysSeveral ? rest.slice(1) : rest;
  const problems: string[] = [];
  if (!ABOUT.test(about)) problems.push('its first line does not say what it shows, as "# sentence."');
  if (commands.length === 0) problems.push('it has no command');
  if (commands.length > 1 && !saysSeveral)
    problems.push('it has several commands without a line "# Several runs: why."');
  if (commands.length === 1 && saysSeveral) problems.push('it has one command, but says that it has several');
  if (!names.includes('cmd')) problems.push('it has no file cmd');
  for (const name of names) {
    if (name.startsWith('expected') && !isControl(name)) problems.push(`nothing reads its file ${name}`);
    else if (!isControl(name) && !commands.some((command) => readCommand(command).some((it) => namesInput(it, name))))
      problems.push(`no command names its input ${name}`);
  }
  return problems;
}

function readCommand(line: string): string[] {
  return JSON.parse(line) as string[];
}

/** Every case below a folder, sorted by name. */
export function readCases(casesFolder: string): CommandCase[] {
  return readdirSync(casesFolder, { recursive: true, encoding: 'utf8' })
    .filter((path) => basename(path) === 'cmd')
    .map((path) => readCase(casesFolder, dirname(path).replaceAll('\\', '/')))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function readCase(casesFolder: string, name: string): CommandCase {
  const folder = join(casesFolder, name);
  const cmd = readFileSync(join(folder, 'cmd'), 'utf8');
  const names = readdirSync(folder);
  const problems = caseProblems(cmd, names);
  if (problems.length > 0) throw new Error(`the case ${name} is not well formed: ${problems.join('; ')}`);
  const lines = cmd.trimEnd().split('\n');
  return {
    name,
    folder,
    about: lines[0]?.slice(2) ?? '',
    commands: lines.filter((line) => !line.startsWith('#')).map(readCommand),
    inputs: names.filter((input) => !isControl(input)),
  };
}

/** What the folders of topics hold apart from cases, as paths below the folder of cases. */
export function strayPaths(casesFolder: string): string[] {
  return readdirSync(casesFolder).flatMap((topic) =>
    readdirSync(join(casesFolder, topic), { withFileTypes: true })
      .filter((entry) => !entry.isDirectory() || !existsSync(join(casesFolder, topic, entry.name, 'cmd')))
      .map((entry) => `${topic}/${entry.name}`),
  );
}
