// The files of command-line cases: what can be written in them, and that a file that is not well formed is refused with its line.

import { describe, expect, test } from 'vitest';
import { escaped, isPlain, unescaped } from '../../../../tools/cases/escape.mjs';
import { type CommandCase, caseText, formatCases, parseCases } from '../../../../tools/cases/format.mjs';
import { actualCase } from '../../../../tools/cases/run.mjs';
import { quoted, wordsOf } from '../../../../tools/cases/words.mjs';
import { randomFrom } from '../support/random.js';

const file = `About lines.

=== several
A state is continued.
Several runs: the second continues the first.

-- stdin, escaped --
a\\r
b\\
-- long.txt, from files/long --
-- docs/in.txt --
x

y

$ firstseen --state s docs/in.txt long.txt -k 'a b'
-- stdout --
x
-- stderr, pattern --
firstseen: .* [E_INPUT]
-- exit code 3 --

$ firstseen
-- out --

=== next (as a process)
Nothing is given.

$ firstseen
`;

function read(text: string) {
  return parseCases(text, 'lines.txt', (path) => (path === 'files/long' ? Buffer.from('long\n') : undefined));
}

/** The file with one line in place of another. */
function fileWith(line: string, replacement: string): string {
  expect(file.split('\n')).toContain(line);
  return file
    .split('\n')
    .map((each) => (each === line ? replacement : each))
    .join('\n');
}

describe('a file of cases', () => {
  test('has commands, what they find, and what they have to write', () => {
    const [several, next] = read(file).cases as [CommandCase, CommandCase];
    expect(several).toMatchObject({ name: 'several', about: 'A state is continued.', isProcess: false });
    expect(several.inputs.map(({ name, bytes }) => [name, String(bytes)])).toEqual([
      ['stdin', 'a\r\nb'],
      ['long.txt', 'long\n'],
      ['docs/in.txt', 'x\n\ny\n'],
    ]);
    const [first, second] = several.runs;
    expect(first?.args).toEqual(['--state', 's', 'docs/in.txt', 'long.txt', '-k', 'a b']);
    expect([String(first?.stdout?.bytes), first?.stderr?.form, first?.code]).toEqual(['x\n', 'pattern', 3]);
    expect(second?.files.map(({ name, bytes }) => [name, String(bytes)])).toEqual([['out', '']]);
    expect(next).toMatchObject({ name: 'next', isProcess: true, runs: [{ args: [], stdout: undefined }] });
  });

  test('is written as it is read', () => {
    expect(formatCases(read(file))).toBe(file);
  });

  test.each([
    ['a file without a sentence about its topic', 'About lines.', 'lines', 1, /does not begin with a sentence/],
    ['a case without a name', '=== next (as a process)', '=== next as a process', 26, /begins with === NAME/],
    ['two cases of one name', '=== next (as a process)', '=== several', 26, /two cases have the name several/],
    ['a case without a description', 'Nothing is given.', 'Nothing', 26, /does not say what it shows/],
    [
      'several commands without "Several runs"',
      'Several runs: the second continues the first.',
      'Why.',
      5,
      /Several runs/,
    ],
    ['one command with "Several runs"', 'Nothing is given.', 'Nothing.\nSeveral runs: why.', 26, /one command, but/],
    ['an unknown block', '-- stdout --', '-- stdout, loose --', 17, /a block begins with -- NAME --/],
    ['an unknown stream', '-- stdout --', '-- stdouts --', 17, /stdouts is not the name of a block/],
    [
      'an input that no command uses',
      '-- docs/in.txt --',
      '-- other.txt --',
      11,
      /no command names the input other\.txt/,
    ],
    [
      'a file that is not there',
      '-- long.txt, from files/long --',
      '-- long.txt, from long --',
      10,
      /the file long does not exist/,
    ],
    [
      'a word that a shell would change',
      "$ firstseen --state s docs/in.txt long.txt -k 'a b'",
      '$ firstseen a*',
      16,
      /in quotes/,
    ],
    ['an open quote', "$ firstseen --state s docs/in.txt long.txt -k 'a b'", "$ firstseen 'a", 16, /in quotes/],
    ['another command', "$ firstseen --state s docs/in.txt long.txt -k 'a b'", '$ cat docs/in.txt', 16, /\$ firstseen/],
    ['an output outside a block', '-- stdout --', '', 17, /belongs to no block/],
    ['a second exit code', '-- exit code 3 --', '-- exit code 3 --\n-- exit code 3 --', 22, /another exit code/],
    ['an order of its own', '-- stderr, pattern --', '-- exit code 1 --\n-- stderr --', 20, /the order is/],
    ['a pattern of another stream', '-- stdout --', '-- stdout, pattern --', 17, /only the standard error/],
    ['an escape that does not exist', 'a\\r', 'a\\q', 7, /\\q is not an escape/],
    ['a blank at the end of a line', 'x', 'x ', 12, /a blank ends this line/],
    ['two inputs of one name', '-- long.txt, from files/long --', '-- docs/in.txt --', 11, /two blocks/],
    ['an expected output before the commands', '-- stdin, escaped --', '-- stdout --', 7, /no command stands before/],
  ])('refuses %s', (_what, line, replacement, at, problem) => {
    expect(() => read(fileWith(line, replacement))).toThrow(problem);
    expect(() => read(fileWith(line, replacement))).toThrow(`lines.txt:${at}: `);
  });

  test.each([
    ['no newline at its end', file.trimEnd(), 'lines.txt:29: the last line has no newline'],
    ['no case', 'About lines.\n', 'lines.txt:1: the file has no case'],
    ['a case without a command', 'About lines.\n\n=== a\nAbout a.\n', 'lines.txt:3: the case a has no command'],
    [
      'no blank line before a command',
      'About.\n\n=== a\nAbout a.\n$ firstseen\n',
      'lines.txt:5: a blank line is missing',
    ],
    ['a block before all cases', 'About.\n\n-- a --\n', 'lines.txt:'],
  ])('refuses a file with %s', (_what, text, message) => {
    expect(() => read(text)).toThrow(message);
  });
});

describe('escapes', () => {
  const isPart = (line: string) => line.startsWith('=== ');

  test.each([
    ['a carriage return and a tab', 'a\tb\r\n', 'a\\tb\\r\n'],
    ['no newline at the end', 'a', 'a\\\n'],
    ['a blank at the end', 'a b \n', 'a b\\x20\n'],
    ['a blank line at the end', 'a\n\n', 'a\n\\n\\\n'],
    ['a byte order mark and a backslash', '\ufeffa\\\n', '\\xef\\xbb\\xbfa\\\\\n'],
    ['an accent of its own', 'e\u0301é\n', 'e\\xcc\\x81é\n'],
    ['a line that would begin a case', '=== a\n', '\\x3d== a\n'],
    ['bytes that are not UTF-8', Buffer.from([0xff, 0, 0xc3, 0xa9]), '\\xff\\0\\xc3\\xa9\\\n'],
  ])('show %s', (_what, content, text) => {
    const bytes = Buffer.from(content);
    expect(isPlain(bytes, isPart)).toBe(false);
    expect(escaped(bytes, isPart)).toBe(text);
    expect(unescaped(text)).toEqual(bytes);
  });

  test.each(['', 'a\n', 'a\\b é ﷺ\n\nb\n'])('are not needed in %j', (text) => {
    expect(isPlain(Buffer.from(text), isPart)).toBe(true);
  });

  test('keep any bytes', () => {
    const random = randomFrom(7);
    const alphabet = Buffer.from('ab \n\n\r\t\0\\\\=$-\u00e9\ufeff');
    for (let round = 0; round < 2000; round++) {
      const isText = round % 2 === 0;
      const bytes = Buffer.from({ length: Math.floor(random() * (round % 50 === 0 ? 400 : 12)) } as ArrayLike<number>);
      for (let i = 0; i < bytes.length; i++) {
        bytes[i] = isText ? (alphabet[Math.floor(random() * alphabet.length)] as number) : Math.floor(random() * 256);
      }
      const one: CommandCase = {
        ...{ name: 'a', line: 1, about: 'Any bytes.', several: undefined, isProcess: false },
        inputs: [{ name: 'stdin', line: 1, form: undefined, from: undefined, bytes }],
        runs: [{ args: [], line: 1, stdout: undefined, stderr: undefined, code: 0, files: [] }],
      };
      const [same] = read(`About.\n\n${caseText(one)}`).cases;
      expect(same?.inputs[0]?.bytes).toEqual(bytes);
    }
  });
});

test.each([[''], ['a b'], ["it's"], ['se"en'], ['\\'], ['*.md'], ['$.user'], ['a=b,c/d:e@f%g+h.i-j_k'], [`"'\\$\``]])(
  'the word %j is quoted so that it is read again',
  (word) => {
    expect(wordsOf(`-k ${quoted(word)} ${quoted(word)}`)).toEqual(['-k', word, word]);
  },
);

test('words in quotes are a part of the word beside them', () => {
  expect(wordsOf(`--key='a b'"c"`)).toEqual(['--key=a bc']);
});

describe('a case that is run', () => {
  const [expected] = read(file).cases as [CommandCase];

  async function actual(stderr: string, stdout = 'x\n') {
    const run = async (args: readonly string[]) =>
      args.length > 0 ? { code: 3, stdout: Buffer.from(stdout), stderr } : { code: 0, stdout: Buffer.of(), stderr: '' };
    return caseText(await actualCase(expected, run));
  }

  test('keeps a pattern that matches, and loses a file that is not there', async () => {
    expect(await actual('firstseen: a E\n')).toBe(caseText(expected).replace('-- out --\n', ''));
  });

  test('shows what was written in place of what was expected', async () => {
    const text = await actual('other\n', 'x\ny\t');
    expect(text).toContain('-- stdout, escaped --\nx\ny\\t\\\n-- stderr --\nother\n');
  });
});
