// Commands one after the other, and the sum of the tests that they count.

import { spawn } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import { countsOf, countsText } from '../counts.mjs';

/** Failed tests of a step that are named at the end. */
const MOST_NAMED = 20;
const NONE = { passed: 0, failed: 0 };

/** Runs a command of the shell and shows its output; resolves to { isDone, output, errors }, the texts of its two outputs. */
function shown(command, { cwd, write }) {
  return new Promise((resolve) => {
    const child = spawn(command, { cwd, shell: true, stdio: ['ignore', 'pipe', 'pipe'] });
    const textOf = (stream) => {
      const chunks = [];
      stream.on('data', (chunk) => {
        chunks.push(chunk);
        write(chunk);
      });
      return () => Buffer.concat(chunks).toString();
    };
    const [output, errors] = [textOf(child.stdout), textOf(child.stderr)];
    child.on('error', () => resolve({ isDone: false, output: '', errors: '' }));
    child.on('close', (code) => resolve({ isDone: code === 0, output: output(), errors: errors() }));
  });
}

/**
 * The lines of vitest (on standard error) and node:test (on standard output) that name a failed test, each once. They are repeated at
 * the end, where a long output is not cut.
 */
function failedTests({ output, errors }) {
  const lines = stripVTControlCharacters(`${output}\n${errors}`).split('\n');
  return [...new Set(lines.map((line) => line.trim()).filter((line) => /^(FAIL |✖ )/.test(line)))].slice(0, MOST_NAMED);
}

/** The counts of a step. One that fails without a failed test, or does not count its tests, counts as a failed test. */
function countsOfStep({ hasTests }, { isDone, output }) {
  const found = hasTests ? countsOf(output) : NONE;
  if (isDone && found !== undefined) return found;
  return { ...NONE, ...found, failed: Math.max(1, found?.failed ?? 0) };
}

/**
 * Runs steps, and writes the names of failed tests, the counts of each step and their sum. Skipped tests are not in the last line.
 * @param steps { command, hasTests }; when one without tests fails, those after it are left out
 * @param write takes the output
 * @returns the number of failed tests
 */
export async function runSteps(steps, { cwd, write }) {
  const total = { ...NONE };
  const lines = [];
  for (const step of steps) {
    const result = await shown(step.command, { cwd, write });
    const counts = countsOfStep(step, result);
    if (counts.failed > 0) lines.push(...failedTests(result));
    for (const name of Object.keys(total)) total[name] += counts[name];
    if (step.hasTests || counts.failed > 0) lines.push(`${step.command}: ${countsText(counts)}`);
    if (!step.hasTests && counts.failed > 0) break;
  }
  const { passed, failed } = total;
  write(`\n${lines.join('\n')}\n${countsText({ passed, failed })}\n`);
  return failed;
}
