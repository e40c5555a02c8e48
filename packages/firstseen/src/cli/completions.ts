// The completions of the shells bash, zsh and fish.

import {
  type CommandDescription,
  type CommandEntry,
  entriesOf,
  type OptionDescription,
  optionsOf,
} from './describe.js';

/** Tells if a flag takes the next word as its value. An optional value follows `=`. */
function takesNextWord({ value }: OptionDescription): boolean {
  return value === 'required';
}

function takesFiles(command: CommandDescription): boolean {
  return command.arguments.length > 0;
}

/** Text in single quotes for a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** The words before the cursor that select a flag: the flag itself, or a long flag and `=`, which bash separates. */
function bashPatterns(option: OptionDescription): string {
  const withEquals = option.names.filter((name) => name.startsWith('--')).map((name) => `${name}=`);
  return [...(takesNextWord(option) ? option.names : []), ...withEquals].join('|');
}

/** Returns the command for bash after a flag with a value: it suggests values, or nothing. */
function bashAction({ choices, takesFile }: OptionDescription): string {
  const suggest = (reply: string) => `mapfile -t COMPREPLY < <(${reply} -- "$cur"); return`;
  if (choices.length > 0) return suggest(`compgen -W ${quoted(choices.join(' '))}`);
  return takesFile ? suggest('compgen -f') : 'return';
}

/** The cases of flags with values, one for each action. */
function bashValues(options: readonly OptionDescription[]): string[] {
  const patterns = new Map<string, string[]>();
  for (const option of options) {
    const action = bashAction(option);
    patterns.set(action, [...(patterns.get(action) ?? []), bashPatterns(option)]);
  }
  return [...patterns].map(([action, alternatives]) => `        ${alternatives.join('|')}) ${action} ;;`);
}

function bashCase({ words, command }: CommandEntry): string {
  const options = optionsOf(command);
  const flags = options.flatMap(({ names }) => names);
  const names = command.commands.map(({ name }) => name);
  const values = bashValues(options.filter(({ value }) => value !== 'none'));
  return [
    `    ${quoted(words.join(' '))})`,
    ...(values.length > 0 ? ['      case "$prev" in', ...values, '      esac'] : []),
    `      if [[ $cur == -* ]]; then mapfile -t COMPREPLY < <(compgen -W ${quoted(flags.join(' '))} -- "$cur"); return; fi`,
    ...(names.length > 0 ? [`      mapfile -t COMPREPLY < <(compgen -W ${quoted(names.join(' '))} -- "$cur")`] : []),
    ...(takesFiles(command) ? [`      mapfile -t -O "\${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$cur")`] : []),
    '      ;;',
  ].join('\n');
}

export function completeBash(program: CommandDescription): string {
  const { name } = program;
  const entries = entriesOf(program);
  const paths = entries.filter(({ words }) => words.length > 0).map(({ words }) => quoted(words.join(' ')));
  return `# Completion of ${name} for bash.
_${name}() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} path='' word
  if [[ $cur == '=' ]]; then
    cur='' prev+='='
  elif [[ $prev == '=' ]] && ((COMP_CWORD > 1)); then
    prev="\${COMP_WORDS[COMP_CWORD-2]}="
  fi
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
complete -o filenames -F _${name} ${name}
`;
}

/** Escapes the special characters in a description for zsh's _arguments. */
function zshText(text: string): string {
  return text.replace(/[\\[\]:]/g, '\\$&');
}

function zshOption({ names, description, value, choices, takesFile }: OptionDescription): string[] {
  const action = choices.length > 0 ? `(${choices.join(' ')})` : takesFile ? '_files' : ' ';
  const text = `[${zshText(description)}]`;
  if (value === 'optional') return names.map((name) => zshOptional(name, `${text}::value:${action}`, text));
  const rest = quoted(`${text}${value === 'required' ? `:value:${action}` : ''}`);
  // Braces write the description once for all names.
  return [`'*'${names.length === 1 ? names[0] : `{${names.join(',')}}`}${rest}`];
}

/** An option whose value is optional takes it after an equals sign, which only a long name has. */
function zshOptional(name: string, withValue: string, text: string): string {
  return quoted(name.startsWith('--') ? `*${name}=-${withValue}` : `*${name}${text}`);
}

function zshFunction(program: string, { words, command }: CommandEntry): string {
  const { commands } = command;
  const specs = optionsOf(command).flatMap(zshOption);
  const fileSpecs = takesFiles(command) ? ["'*:file:_files'"] : [];
  const lines = [...specs, ...(commands.length > 0 ? ["'1: :->first'", "'*:: :->rest'"] : fileSpecs)];
  const functionName = [program, ...words].join('_');
  const commandList = commands.map(({ name, description }) => quoted(`${name}:${description}`)).join(' ');
  const states =
    commands.length === 0
      ? ''
      : `
  case $state in
    first) local -a commands=(${commandList}); _describe command commands${takesFiles(command) ? '; _files' : ''} ;;
    rest) case $words[1] in
${commands.map(({ name }) => `      ${name}) _${functionName}_${name} ;;`).join('\n')}
      *) ${takesFiles(command) ? '_files' : ':'} ;;
    esac ;;
  esac`;
  return `_${functionName}() {
  local curcontext="$curcontext" state line
  _arguments -C ${lines.join(' \\\n    ')}${states}
}`;
}

export function completeZsh(program: CommandDescription): string {
  const { name } = program;
  const functions = entriesOf(program).map((entry) => zshFunction(name, entry));
  return `#compdef ${name}
${functions.join('\n\n')}

_${name} "$@"
`;
}

/** Text in single quotes for fish. */
function fishQuoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

/** Returns the condition under which the options and commands of an entry can follow. */
function fishCondition({ words, command }: CommandEntry): string {
  const seen = words.map((word) => `__fish_seen_subcommand_from ${word}`);
  const names = command.commands.map(({ name }) => name);
  const notYet = names.length > 0 ? [`not __fish_seen_subcommand_from ${names.join(' ')}`] : [];
  return fishQuoted([...seen, ...notYet].join('; and ') || 'true');
}

function fishValue(option: OptionDescription): string[] {
  if (takesNextWord(option)) return [option.takesFile ? '-r -F' : '-x'];
  return option.value === 'optional' ? ['-f'] : [];
}

function fishOption(option: OptionDescription): string {
  const names = option.names.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`));
  const words = option.choices.length > 0 ? [`-a ${fishQuoted(option.choices.join(' '))}`] : [];
  return [...names, ...fishValue(option), ...words, `-d ${fishQuoted(option.description)}`].join(' ');
}

function fishEntry(program: string, entry: CommandEntry): string[] {
  const { commands } = entry.command;
  const completions = [
    ...commands.map(({ name, description }) => `-a ${name} -d ${fishQuoted(description)}`),
    ...optionsOf(entry.command).map(fishOption),
  ];
  return [
    `set -l condition ${fishCondition(entry)}`,
    ...completions.map((completion) => `complete -c ${program} -n $condition ${completion}`),
  ];
}

export function completeFish(program: CommandDescription): string {
  const lines = entriesOf(program).flatMap((entry) => fishEntry(program.name, entry));
  return `# Completion of ${program.name} for fish.\n${lines.join('\n')}\n`;
}
