// The files of command-line cases, one for each topic, as text that reads like a terminal:
//
//     Text about the topic.
//
//     === name
//     A sentence that says what the case shows.
//
//     -- in.csv --
//     id,name
//
//     $ firstseen -k id in.csv
//     -- stdout --
//     id,name
//     -- exit code 0 --
//
// Blocks before the first command are files that it finds, and `-- stdin --`. Blocks after a command are what it has to write: `stdout`
// and `stderr`, nothing if absent, then `-- exit code N --`, 0 if absent, then files. A block with `, escaped` is written as escape.mjs
// says. `-- stderr, pattern --` is a regular expression. `-- NAME, from PATH --` takes the content from another file in the folder. A
// blank line stands before each case and each command, and belongs to no block. A case with `(as a process)` after its name also runs
// as a process in the short form of the tests.

import { escaped, isPlain, unescaped } from './escape.mjs';
import { quoted, wordsOf } from './words.mjs';

const CASE = /^=== (\S+)( \(as a process\))?$/;
const COMMAND = /^\$ firstseen(?: (.*))?$/;
const EXIT_CODE = /^-- exit code (\d+) --$/;
const BLOCK = /^-- ([^,]*?)(?:, (escaped|pattern)|, from (\S+))? --$/;
const ABOUT = /^[^\s].*\.$/;
const SEVERAL = /^Several runs: \S.*\.$/;
const streams = ['stdout', 'stderr'];

/** Whether a line begins a part of the file. */
function isPart(line) {
  return /^(===|\$) /.test(line) || /^-- .* --$/.test(line) || line === '$';
}

/** A file of cases that cannot be read. */
export class CaseFileError extends Error {
  constructor(path, line, problem) {
    super(`${path}:${line}: ${problem}`);
    this.name = 'CaseFileError';
  }
}

/** The lines of a file in parts, each with the line that begins it; the first part has no such line. */
function partsOf(lines) {
  const parts = [{ head: undefined, line: 1, body: [] }];
  for (const [i, text] of lines.entries()) {
    if (isPart(text)) parts.push({ head: text, line: i + 1, body: [] });
    else parts.at(-1).body.push(text);
  }
  return parts;
}

/** Takes away the blank line that stands before each case, each command and the first block of a case. */
function withoutBlanks(parts, fail) {
  return parts.map((part, i) => {
    const next = parts[i + 1];
    const isApart = next && (!next.head.startsWith('-- ') || CASE.test(part.head ?? ''));
    if (!isApart) return part;
    if (part.body.at(-1) !== '') fail(next.line, 'a blank line is missing before this line');
    return { ...part, body: part.body.slice(0, -1) };
  });
}

/**
 * Reads a file of cases.
 * @param text the file
 * @param path its path, for messages
 * @param readFile gives the content of another file, by its path
 * @throws CaseFileError
 */
export function parseCases(text, path, readFile) {
  const fail = (line, problem) => {
    throw new CaseFileError(path, line, problem);
  };
  if (!text.endsWith('\n')) fail(text.split('\n').length, 'the last line has no newline');
  const [intro, ...parts] = withoutBlanks(partsOf(text.slice(0, -1).split('\n')), fail);
  if (!ABOUT.test(intro.body.join(' '))) fail(1, 'the file does not begin with a sentence about its topic');
  const cases = [];
  for (const part of parts) {
    if (part.head.startsWith('=== ')) cases.push(caseOf(part, fail));
    else if (cases.length === 0) fail(part.line, 'no case begins before this line; one begins with === NAME');
    else addPart(cases.at(-1), part, { fail, readFile });
  }
  if (cases.length === 0) fail(1, 'the file has no case');
  for (const [i, one] of cases.entries()) {
    checkCase(one, fail);
    if (cases.slice(0, i).some(({ name }) => name === one.name)) fail(one.line, `two cases have the name ${one.name}`);
  }
  return { path, intro: intro.body.join('\n'), cases };
}

function caseOf({ head, line, body }, fail) {
  const [, name, process] = CASE.exec(head) ?? fail(line, 'a case begins with === NAME or === NAME (as a process)');
  const [about = '', several, ...rest] = body;
  if (!ABOUT.test(about))
    fail(line, `the case ${name} does not say what it shows, in one line that ends with a full stop`);
  if (several !== undefined && !SEVERAL.test(several))
    fail(line + 2, 'only "Several runs: why." may follow the sentence');
  if (rest.length > 0) fail(line + 3, 'only a block or a command may follow');
  return { name, line, about, several, isProcess: process !== undefined, inputs: [], runs: [] };
}

function addPart(to, { head, line, body }, { fail, readFile }) {
  if (head.startsWith('$')) to.runs.push({ ...runOf(head, line, fail), ...refuseBody(body, line, fail) });
  else if (EXIT_CODE.test(head)) addExitCode(to, { head, line, body }, fail);
  else addBlock(to, blockOf({ head, line, body }, { fail, readFile }), fail);
}

function runOf(head, line, fail) {
  const [, rest = ''] = COMMAND.exec(head) ?? fail(line, 'a command begins with $ firstseen');
  try {
    return { args: wordsOf(rest.trimEnd()), line, stdout: undefined, stderr: undefined, code: undefined, files: [] };
  } catch ({ message }) {
    return fail(line, message);
  }
}

function refuseBody(body, line, fail) {
  if (body.length > 0) fail(line + 1, 'text below this line belongs to no block; name one, such as -- stdout --');
  return {};
}

function addExitCode({ name, runs }, { head, line, body }, fail) {
  const run = runs.at(-1) ?? fail(line, `no command of the case ${name} stands before its exit code`);
  refuseBody(body, line, fail);
  if (run.code !== undefined) fail(line, 'the command has another exit code above');
  if (run.files.length > 0) fail(line, 'the exit code stands before the files');
  run.code = Number(EXIT_CODE.exec(head)[1]);
}

function blockOf({ head, line, body }, { fail, readFile }) {
  const [, name, form, from] = BLOCK.exec(head) ?? fail(line, 'a block begins with -- NAME --');
  if (from !== undefined) {
    refuseBody(body, line, fail);
    return {
      name,
      line,
      form: undefined,
      from,
      bytes: readFile(from) ?? fail(line, `the file ${from} does not exist`),
    };
  }
  const text = body.map((each) => `${each}\n`).join('');
  const hidden = form === 'escaped' ? undefined : body.findIndex((each) => /[ \t\r]$/.test(each));
  if (hidden !== undefined && hidden >= 0) fail(line + hidden + 1, 'a blank ends this line; write the block escaped');
  try {
    return { name, line, form, from, bytes: form === 'escaped' ? unescaped(text) : Buffer.from(text) };
  } catch ({ message }) {
    return fail(line, message);
  }
}

function addBlock(to, block, fail) {
  const run = to.runs.at(-1);
  const { name, line, form } = block;
  if (form === 'pattern' && (name !== 'stderr' || !run))
    fail(line, 'only the standard error of a command can be a pattern');
  if (!run && streams.includes(name)) fail(line, `no command stands before this ${name}`);
  if (run && name === 'stdin') fail(line, 'the standard input stands before the first command');
  if (/^(stdin|stdout|stderr|exit code)./.test(name))
    fail(line, `${name} is not the name of a block; see the top of tools/cases/format.mjs`);
  if (run && streams.includes(name)) return addStream(run, block, fail);
  const blocks = run ? run.files : to.inputs;
  if (blocks.some((other) => other.name === name)) fail(line, `two blocks have the name ${name}`);
  blocks.push(block);
}

function addStream(run, { name, line, form, from, bytes }, fail) {
  const isLate = run.code !== undefined || run.files.length > 0 || (name === 'stdout' && run.stderr !== undefined);
  if (isLate) fail(line, 'the order is stdout, stderr, exit code, files');
  if (run[name] !== undefined) fail(line, `the command has another ${name} above`);
  run[name] = { form, from, bytes };
}

function namesInput(word, input) {
  return word.replace(/^\.\//, '').split('/')[0] === input.split('/')[0];
}

function checkCase({ name, line, several, inputs, runs }, fail) {
  if (runs.length === 0) fail(line, `the case ${name} has no command`);
  if (runs.length > 1 && several === undefined)
    fail(line, `the case ${name} has several commands without a line "Several runs: why."`);
  if (runs.length === 1 && several !== undefined)
    fail(line, `the case ${name} has one command, but says that it has several`);
  for (const input of inputs) {
    const isUsed = input.name === 'stdin' || runs.some(({ args }) => args.some((word) => namesInput(word, input.name)));
    if (!isUsed) fail(input.line, `no command names the input ${input.name}`);
  }
}

function blockText({ name, form, from, bytes }) {
  if (from !== undefined) return `-- ${name}, from ${from} --\n`;
  if (form === 'pattern') return `-- ${name}, pattern --\n${bytes}`;
  if (isPlain(bytes, isPart)) return `-- ${name} --\n${bytes}`;
  return `-- ${name}, escaped --\n${escaped(bytes, isPart)}`;
}

function runText({ args, stdout, stderr, code = 0, files }) {
  return [
    `\n$ ${['firstseen', ...args.map(quoted)].join(' ')}\n`,
    ...(stdout?.bytes.length ? [blockText({ name: 'stdout', ...stdout })] : []),
    ...(stderr?.bytes.length ? [blockText({ name: 'stderr', ...stderr })] : []),
    ...(code === 0 ? [] : [`-- exit code ${code} --\n`]),
    ...files.map(blockText),
  ].join('');
}

/** The text of a case in its file. */
export function caseText({ name, about, several, isProcess, inputs, runs }) {
  const head = [`=== ${name}${isProcess ? ' (as a process)' : ''}`, about, ...(several ? [several] : [])];
  return [
    `${head.join('\n')}\n`,
    ...(inputs.length > 0 ? ['\n', ...inputs.map(blockText)] : []),
    ...runs.map(runText),
  ].join('');
}

/** The file of cases in the form in which it is kept. */
export function formatCases({ intro, cases }) {
  return `${intro}\n\n${cases.map(caseText).join('\n')}`;
}
