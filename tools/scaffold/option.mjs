// Adds the row of a new option of runs to the files that have one for each, and takes it away again. The option is a text, which runs
// check and do not use.

const ROWS = 'packages/firstseen/src/options/run.ts';
const INTERFACE = 'packages/firstseen/src/run/runoptions.ts';

const LIST = 'export const outputOptions = [';
const MEMBER = '  isCompressed?: boolean | undefined;\n';

/** The flag of an option: `--file-mode` for `fileMode`. */
export function flagOf(name) {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** What is inserted in each file, and the text that it precedes or follows. */
function insertions(name) {
  const row = `export const ${name} = {
  name: '${name}',
  flag: '${flagOf(name)} <text>',
  group: 'output',
  kind: 'text',
  help: 'what ${name} is, in a few words',
  jobs: ['exact', 'near'],
} as const satisfies OptionRow;

`;
  return {
    [ROWS]: [
      { before: LIST, text: row },
      { after: LIST, text: `\n  ${name},` },
    ],
    [INTERFACE]: [
      { after: MEMBER, text: `  /** What ${name} is, in a few words. */\n  ${name}?: string | undefined;\n` },
    ],
  };
}

function indexOf(text, part) {
  const at = text.indexOf(part);
  if (at < 0) throw new Error(`there is no ${JSON.stringify(part)}`);
  return at;
}

function insert(text, { before, after, text: added }) {
  const at = before === undefined ? indexOf(text, after) + after.length : indexOf(text, before);
  return text.slice(0, at) + added + text.slice(at);
}

/** The new texts of the files with the option, by path. `read` returns the text of a path. */
export function withOption(name, read) {
  return Object.fromEntries(
    Object.entries(insertions(name)).map(([path, parts]) => [path, parts.reduce(insert, read(path))]),
  );
}

/** The texts of the files without the option. */
export function withoutOption(name, read) {
  const remove = (text, part) => {
    const at = indexOf(text, part.text);
    return text.slice(0, at) + text.slice(at + part.text.length);
  };
  return Object.fromEntries(
    Object.entries(insertions(name)).map(([path, parts]) => [path, parts.toReversed().reduce(remove, read(path))]),
  );
}
