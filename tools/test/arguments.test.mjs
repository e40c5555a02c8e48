// Tests the arguments of the tools.

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { headOf, optionsText } from '../arguments.mjs';

const tool = fileURLToPath(new URL('../runtimes.mjs', import.meta.url));
const run = (...args) => spawnSync(process.execPath, [tool, ...args], { encoding: 'utf8' });

test('the head of a source is its first comment', () => {
  expect(headOf('#!/usr/bin/env node\n// One.\n//   two\n\nimport 3;\n// Four.')).toBe('One.\n  two');
  expect(headOf('import 3;')).toBe('');
});

test('options are shown as one types them', () => {
  expect(optionsText({ quick: { type: 'boolean' }, seed: { type: 'string' } })).toBe('[--quick] [--seed TEXT]');
});

test('a tool refuses an option that it does not have, and runs nothing', () => {
  const { status, stdout, stderr } = run('--qick');
  expect(status).toBe(2);
  expect(stdout).toBe('');
  expect(stderr).toBe("Unknown option '--qick'\noptions: [--quick]\n");
});

test('a tool prints its head where --help is given', () => {
  const { status, stdout } = run('--help');
  expect(status).toBe(0);
  expect(stdout).toMatch(/^Tests the packed library .*\n\noptions: \[--quick\]\n$/s);
});
