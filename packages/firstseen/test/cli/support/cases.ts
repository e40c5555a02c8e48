// The command-line cases. Each is a folder inside the folder of its topic. The file `cmd` contains a line `# description.` and
// the arguments as a JSON array. A case with several runs has a second line, `# Several runs: reason.`, and one array per run.
// Every run reads `stdin` as its standard input. `expected.stdout` and `expected.stderr` hold the joined outputs of all runs and
// are empty if absent; `expected.stderr.regex` is a pattern instead. `expected.code` holds the exit codes, 0 if absent. The
// folder `expected` holds files that must exist after the runs. All other files are inputs.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

export interface CommandCase {
  /** The path of its folder, relative to the folder of cases and separated by `/`. */
  readonly name: string;
  readonly folder: string;
  readonly about: string;
  readonly commands: readonly (readonly string[])[];
  /** The files and folders that are copied to the working folder of the commands. */
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

/** The errors in the files of a case, one sentence each; empty if there are none. */
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

/** All cases in a folder and its subfolders, sorted by name. */
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

/** Files and folders of topics that are not cases, as paths relative to the folder of cases. */
export function strayPaths(casesFolder: string): string[] {
  return readdirSync(casesFolder).flatMap((topic) =>
    readdirSync(join(casesFolder, topic), { withFileTypes: true })
      .filter((entry) => !entry.isDirectory() || !existsSync(join(casesFolder, topic, entry.name, 'cmd')))
      .map((entry) => `${topic}/${entry.name}`),
  );
}
