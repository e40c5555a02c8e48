// Code blocks of a Markdown text: programs that promise what they print, and console sessions.

/** The blocks of a language, in order. */
export function blocks(language: string, text: string): string[] {
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(([, block]) => block as string);
}

/** What the comments behind `console.log` promise: `// a`, or `// a, then b` where one line prints twice. */
export function promisedLines(program: string): string[] {
  return [...program.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].flatMap(([, promise]) =>
    (promise as string).split(', then '),
  );
}

export interface SessionStep {
  command: string;
  /** What standard output is to hold. */
  printed: string;
}

/** The commands of a console session, each behind `$ `. */
export function stepsOf(session: string): SessionStep[] {
  return session
    .split(/^\$ /m)
    .slice(1)
    .map((step) => {
      const [command = '', ...output] = step.split('\n');
      return { command, printed: output.join('\n') };
    });
}
