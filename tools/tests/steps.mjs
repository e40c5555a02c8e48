// Commands that run side by side. The output of each is a block.

import { measured, timeText } from '../measured.mjs';

/**
 * Runs steps side by side and writes the output of each when it ends. The output of the step `shown` goes to the terminal at once, and
 * that of the others after it.
 * @param steps { name, words, env }
 * @returns the results in the order of the steps: the name of the step, and what `measured` tells
 */
export async function runSideBySide(steps, { cwd, write, shown }) {
  const running = steps.map(async ({ name, words, env }) => {
    const result = await measured(words, { cwd, env, isShown: name === shown });
    return { name, ...result };
  });
  const first = Promise.resolve(running[steps.findIndex(({ name }) => name === shown)]);
  return Promise.all(
    running.map(async (ending) => {
      const [result] = await Promise.all([ending, first]);
      if (result.text.trim() !== '') write(`\n${result.name}\n${result.text.trimEnd()}\n`);
      return result;
    }),
  );
}

/** A line for each step with its times. */
export function timeLines(results) {
  return results.map((result) => `${result.name}: ${result.isDone ? '' : 'failed after '}${timeText(result)}`);
}
