// The manual page, in the language of man(7).

import { type CommandDescription, type CommandEntry, entriesOf, type ProgramDescription } from './describe.js';
import { exitCodes } from './exit.js';

/** Text of a manual page: escapes backslashes, hyphens, and lines that start like a request. */
function roff(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^([.'])/gm, '\\&$1');
}

function item(term: string, description: string, font: 'B' | 'I' = 'B'): string {
  return `.TP\n\\f${font}${roff(term)}\\fR\n${roff(description)}`;
}

/** The options in their groups. The heading of plain options is left out where no other group comes before them. */
function optionGroups({ groups }: CommandDescription, headingOf: (text: string) => string): string[] {
  return groups.flatMap(({ heading, options }, i) => [
    ...(i === 0 && heading === 'Options' ? [] : [headingOf(roff(heading))]),
    ...options.map(({ term, description }) => item(term, description)),
  ]);
}

function argumentItems(command: CommandDescription): string[] {
  return command.arguments.map(({ name, description }) => item(name, description, 'I'));
}

function commandSection(program: string, { words, command }: CommandEntry): string[] {
  const usage = [program, ...words, command.usage].filter((part) => part !== '').join(' ');
  return [
    `.SS ${roff(usage)}\n${roff(command.description)}`,
    ...argumentItems(command),
    ...optionGroups(command, (heading) => `.PP\n\\fI${heading}:\\fR`),
  ];
}

/** The manual page of a program, with a section for each of its commands. */
export function manPage(program: ProgramDescription): string {
  const { name, version, usage, description, examples } = program;
  const [, ...commands] = entriesOf(program);
  return `${[
    `.TH ${name.toUpperCase()} 1 "" "${name} ${version}" "User Commands"`,
    `.SH NAME\n${name} \\- ${roff(description)}`,
    `.SH SYNOPSIS\n.B ${name}\n${roff(usage)}`,
    `.SH DESCRIPTION\n${roff(description)}`,
    '.SH OPTIONS',
    ...argumentItems(program),
    ...optionGroups(program, (heading) => `.SS ${heading}`),
    '.SH COMMANDS',
    ...commands.flatMap((entry) => commandSection(name, entry)),
    '.SH EXIT STATUS',
    ...Object.values(exitCodes).map(({ code, meaning }) => item(String(code), meaning)),
    `.SH EXAMPLES\n.nf\n${examples.map(roff).join('\n')}\n.fi`,
  ].join('\n')}\n`;
}
