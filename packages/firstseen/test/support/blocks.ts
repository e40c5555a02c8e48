// Code blocks of a Markdown text: programs whose comments state their output, and console sessions.

/** The code blocks in a language, in order. */
export function blocks(language: string, text: string): string[] {
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(([, block]) => block as string);
}

/** The programs of the examples in the doc comments of a source. */
export function exampleBlocks(source: string): string[] {
  const examples = [...source.matchAll(/^ \* @example\n(?: \*(?!\/).*\n)*/gm)];
  return examples.flatMap(([example]) => blocks('js', example.replaceAll(/^ \* ?/gm, '')));
}

/** The output that comments after `console.log` state: `// a`, or `// a, then b` for a line that prints twice. */
export function promisedLines(program: string): string[] {
  return [...program.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].flatMap(([, promise]) =>
    (promise as string).split(', then '),
  );
}

export interface SessionStep {
  command: string;
  /** The expected standard output. */
  printed: string;
}

/** The commands of a console session. Each is preceded by `$ `. */
export function stepsOf(session: string): SessionStep[] {
  return session
    .split(/^\$ /m)
    .slice(1)
    .map((step) => {
      const [command = '', ...output] = step.split('\n');
      return { command, printed: output.join('\n') };
    });
}
