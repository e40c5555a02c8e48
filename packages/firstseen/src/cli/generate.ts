// `firstseen --generate KIND`: the manual page and the shell completions, generated from the parser, so that they contain every flag.

import type { Argument, Command, Option } from 'commander';

/** A command: the words that select it, and the options and commands that can follow. */
interface CommandEntry {
  readonly words: readonly string[];
  readonly command: Command;
  readonly options: readonly Option[];
  readonly commands: readonly Command[];
}

function entriesOf(command: Command, words: readonly string[] = []): CommandEntry[] {
  const help = command.createHelp();
  const entry = {
    words,
    command,
    options: help.visibleOptions(command),
    commands: help.visibleCommands(command).filter((sub) => sub.name() !== 'help'),
  };
  return [entry, ...entry.commands.flatMap((sub) => entriesOf(sub, [...words, sub.name()]))];
}

function flagNamesOf({ short, long }: Option): string[] {
  return [short, long].filter((flag) => flag !== undefined);
}

/** Whether a flag takes the next word as its value. An optional value follows `=`. */
function takesValue(option: Option): boolean {
  return option.required;
}

/** The words that a flag accepts, which its description lists after a colon. */
function choicesOf({ argChoices, description, required, optional }: Option): readonly string[] {
  if (argChoices) return argChoices;
  if (!required && !optional) return [];
  const list = /(?:^|: )([a-z0-9-]+(?:, [a-z0-9-]+)+)(?: \(|$)/.exec(description)?.[1];
  return list?.split(', ') ?? [];
}

/** Whether the value of a flag is the name of a file. */
function takesFile({ flags }: Option): boolean {
  return /<(?:file|path|folder)>/.test(flags);
}

function takesFiles(command: Command): boolean {
  return command.registeredArguments.length > 0;
}

/** Text in single quotes for a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function bashCase({ words, command, options, commands }: CommandEntry): string {
  const flags = options.flatMap(flagNamesOf);
  const values = options.filter(takesValue).map((option) => {
    const choices = choicesOf(option);
    const reply = choices.length > 0 ? `compgen -W ${quoted(choices.join(' '))} -- "$cur"` : 'compgen -f -- "$cur"';
    const body = choices.length > 0 || takesFile(option) ? `mapfile -t COMPREPLY < <(${reply})` : ':';
    return `        ${flagNamesOf(option).join('|')}) ${body}; return ;;`;
  });
  const names = commands.map((sub) => sub.name());
  return [
    `    ${quoted(words.join(' '))})`,
    '      case "$prev" in',
    ...values,
    '      esac',
    `      if [[ $cur == -* ]]; then mapfile -t COMPREPLY < <(compgen -W ${quoted(flags.join(' '))} -- "$cur"); return; fi`,
    ...(names.length > 0 ? [`      mapfile -t COMPREPLY < <(compgen -W ${quoted(names.join(' '))} -- "$cur")`] : []),
    ...(takesFiles(command) ? [`      mapfile -t -O "\${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$cur")`] : []),
    '      ;;',
  ].join('\n');
}

function completeBash(program: Command): string {
  const entries = entriesOf(program);
  const paths = entries.filter(({ words }) => words.length > 0).map(({ words }) => quoted(words.join(' ')));
  return `# Completion of ${program.name()} for bash.
_${program.name()}() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} path='' word
  COMPREPLY=()
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${path:+$path }$word" in
      ${paths.join('|')}) path="\${path:+$path }$word" ;;
      *) break ;;
    esac
  done
  case "$path" in
${entries.map(bashCase).join('\n')}
  esac
}
complete -o filenames -F _${program.name()} ${program.name()}
`;
}

/** Escapes the special characters in a description for zsh's _arguments. */
function zshText(text: string): string {
  return text.replace(/[\\[\]:]/g, '\\$&');
}

function zshOption(option: Option): string[] {
  const choices = choicesOf(option);
  const action = choices.length > 0 ? `(${choices.join(' ')})` : takesFile(option) ? '_files' : ' ';
  const value = takesValue(option) ? `:value:${action}` : '';
  return flagNamesOf(option).map((flag) => {
    const isLongWithOptional = option.optional && flag.startsWith('--');
    const optional = isLongWithOptional ? `=-::value:${action}` : '';
    const [name, rest] = isLongWithOptional ? [`${flag}=-`, optional.slice(2)] : [flag, value];
    return quoted(`*${name}[${zshText(option.description)}]${rest}`);
  });
}

function zshFunction(name: string, { words, command, options, commands }: CommandEntry): string {
  const specs = options.flatMap(zshOption);
  const rest = takesFiles(command) ? ["'*:file:_files'"] : [];
  const lines = [...specs, ...(commands.length > 0 ? ["'1: :->first'", "'*:: :->rest'"] : rest)];
  const own = [name, ...words].join('_');
  const listed = commands.map((sub) => `${quoted(`${sub.name()}:${sub.description()}`)}`).join(' ');
  const states =
    commands.length === 0
      ? ''
      : `
  case $state in
    first) local -a commands=(${listed}); _describe command commands${takesFiles(command) ? '; _files' : ''} ;;
    rest) case $words[1] in
${commands.map((sub) => `      ${sub.name()}) _${own}_${sub.name()} ;;`).join('\n')}
      *) ${takesFiles(command) ? '_files' : ':'} ;;
    esac ;;
  esac`;
  return `_${own}() {
  local curcontext="$curcontext" state line
  _arguments -C ${lines.join(' \\\n    ')}${states}
}`;
}

function completeZsh(program: Command): string {
  const functions = entriesOf(program).map((entry) => zshFunction(program.name(), entry));
  return `#compdef ${program.name()}
${functions.join('\n\n')}

_${program.name()} "$@"
`;
}

/** Text in single quotes for fish. */
function fishQuoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

function fishCondition(name: string, { words, commands }: CommandEntry): string {
  const seen = words.map((word) => `__fish_seen_subcommand_from ${word}`);
  const names = commands.map((sub) => sub.name());
  const notYet = names.length > 0 ? [`not __fish_seen_subcommand_from ${names.join(' ')}`] : [];
  return `complete -c ${name} -n ${fishQuoted([...seen, ...notYet].join('; and ') || 'true')}`;
}

function fishOption(option: Option): string {
  const { short, long, description } = option;
  const choices = choicesOf(option);
  const names = [short && `-s ${short.slice(1)}`, long && `-l ${long.slice(2)}`].filter(Boolean);
  const value = takesValue(option) ? [takesFile(option) ? '-r -F' : '-x'] : [];
  const words = choices.length > 0 ? [`-a ${fishQuoted(choices.join(' '))}`] : [];
  return [...names, ...value, ...words, `-d ${fishQuoted(description)}`].join(' ');
}

function completeFish(program: Command): string {
  const lines = entriesOf(program).flatMap((entry) => {
    const condition = fishCondition(program.name(), entry);
    return [
      ...entry.commands.map((sub) => `${condition} -a ${sub.name()} -d ${fishQuoted(sub.description())}`),
      ...entry.options.map((option) => `${condition} ${fishOption(option)}`),
    ];
  });
  return `# Completion of ${program.name()} for fish.\n${lines.join('\n')}\n`;
}

/** Text of a manual page: escapes backslashes, hyphens, and lines that start like a request. */
function roff(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^([.'])/gm, '\\&$1');
}

function manOptions(options: readonly Option[]): string {
  return options.map((option) => `.TP\n\\fB${roff(option.flags)}\\fR\n${roff(option.description)}`).join('\n');
}

function manArguments(args: readonly Argument[]): string {
  return args.map((arg) => `.TP\n\\fI${roff(arg.name())}\\fR\n${roff(arg.description)}`).join('\n');
}

function manSection(name: string, { words, command, options }: CommandEntry): string {
  const usage = [name, ...words, command.usage()].join(' ');
  return [
    words.length > 0 ? `.SS ${roff(usage)}\n${roff(command.description())}` : `.SH OPTIONS`,
    manArguments(command.registeredArguments),
    manOptions(options),
  ]
    .filter((part) => part !== '')
    .join('\n');
}

function manPage(program: Command): string {
  const [main, ...others] = entriesOf(program) as [CommandEntry, ...CommandEntry[]];
  const name = program.name();
  return `.TH ${name.toUpperCase()} 1 "" "${name} ${program.version()}" "User Commands"
.SH NAME
${name} \\- ${roff(program.description())}
.SH SYNOPSIS
.B ${name}
${roff(program.usage())}
.SH DESCRIPTION
${roff(program.description())}
${manSection(name, main)}
.SH COMMANDS
${others.map((entry) => manSection(name, entry)).join('\n')}
`;
}

const generators = {
  man: manPage,
  'complete-bash': completeBash,
  'complete-zsh': completeZsh,
  'complete-fish': completeFish,
} as const;

export type GeneratedKind = keyof typeof generators;

export const generatedKinds = Object.keys(generators) as readonly GeneratedKind[];

export function generate(program: Command, kind: GeneratedKind): string {
  return generators[kind](program);
}
