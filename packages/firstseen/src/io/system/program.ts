// Programs that answer one question each: work of which the process that asks is to be safe, by its time or by its end.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { createInterface } from 'node:readline';

const MAX_PROBLEM_CHARACTERS = 10_000;

/** A program was ended by a signal, such as that of a crash. */
export class ProgramKilled extends Error {
  override readonly name = 'ProgramKilled';
}

/**
 * Collects the text that a process writes to a stream, and returns a function that gives it.
 * @param most characters, if not all
 */
function collected(stream: NodeJS.ReadableStream, most = Number.POSITIVE_INFINITY): () => string {
  const decoder = new TextDecoder();
  let text = '';
  stream.on('data', (chunk: Buffer) => {
    if (text.length < most) text += decoder.decode(chunk, { stream: true });
  });
  return () => text.slice(0, most);
}

export interface ProgramCall {
  /** The file that Node runs. */
  program: string;
  /** The question, as JSON. It is not in the arguments, which others can see, because it may have a password. */
  input: unknown;
  /** Ends the program. */
  signal?: AbortSignal | undefined;
}

/**
 * Runs a program, which `serveAnswer` is in. A process that ends does not wait for it, and it ends with that process.
 * @returns what it has written
 * @throws ProgramKilled; Error with what the program says
 */
export async function answerOf({ program, input, signal }: ProgramCall): Promise<string> {
  const child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'pipe'] });
  child.unref();
  for (const stream of child.stdio) (stream as Socket).unref();
  const [output, problem] = [collected(child.stdout), collected(child.stderr, MAX_PROBLEM_CHARACTERS)];
  // A program that has ended reads no question.
  child.stdin.on('error', () => undefined);
  child.stdin.write(`${JSON.stringify(input)}\n`);
  const end = () => child.kill('SIGKILL');
  signal?.addEventListener('abort', end);
  try {
    const [code, killedBy] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
    if (code === 0) return output();
    const problemText = problem().trim();
    if (killedBy !== null) throw new ProgramKilled(problemText || `the process that asks was ended by ${killedBy}`);
    throw new Error(problemText || `the process ended with ${code}`);
  } finally {
    signal?.removeEventListener('abort', end);
  }
}

/** Answers the question on the standard input as JSON, and ends; or ends with that input. */
export function serveAnswer<Question>(answer: (question: Question) => Promise<unknown>): void {
  const lines = createInterface({ input: process.stdin });
  lines.on('close', () => process.exit(1));
  lines.once('line', (line) => {
    answer(JSON.parse(line) as Question).then(
      (value) => process.stdout.write(JSON.stringify(value), () => process.exit(0)),
      (error: unknown) => {
        process.stderr.write(error instanceof Error ? error.message : String(error), () => process.exit(1));
      },
    );
  });
}
