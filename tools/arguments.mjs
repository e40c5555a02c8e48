// The arguments of the tools: what is wrong with them is told in a line, and --help prints the head of the tool's file.

import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

/** Returns the comment with which a source begins, without its marks, or an empty text. */
export function headOf(source) {
  const lines = source.replace(/^#!.*\n/, '').split('\n');
  const end = lines.findIndex((line) => !line.startsWith('//'));
  return lines
    .slice(0, end)
    .map((line) => line.replace(/^\/\/ ?/, ''))
    .join('\n');
}

/** Returns the names of the options as one types them: `[--quick] [--seed TEXT]`. */
export function optionsText(options) {
  const shape = ([name, { type }]) => (type === 'boolean' ? `[--${name}]` : `[--${name} TEXT]`);
  return Object.entries(options).map(shape).join(' ');
}

/**
 * Parses the arguments of a process, with the settings of `parseArgs`, and ends the process where they are wrong or ask
 * for help.
 */
export function readArguments(settings) {
  const options = { ...settings.options, help: { type: 'boolean' } };
  try {
    const { values, positionals } = parseArgs({ ...settings, options });
    if (!values.help) return { values, positionals };
    console.log(`${headOf(readFileSync(process.argv[1], 'utf8'))}\n\noptions: ${optionsText(settings.options)}`);
    process.exit(0);
  } catch (error) {
    if (!error.code?.startsWith('ERR_PARSE_ARGS')) throw error;
    console.error(`${error.message.split('\n')[0]}\noptions: ${optionsText(settings.options)}`);
    process.exit(2);
  }
}
