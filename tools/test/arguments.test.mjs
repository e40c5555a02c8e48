// Tests the arguments of the tools.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { headOf, optionsText } from '../arguments.mjs';

const tool = fileURLToPath(new URL('../runtimes.mjs', import.meta.url));
const run = (...args) => spawnSync(process.execPath, [tool, ...args], { encoding: 'utf8' });

test('the head of a source is its first comment', () => {
  assert.equal(headOf('#!/usr/bin/env node\n// One.\n//   two\n\nimport 3;\n// Four.'), 'One.\n  two');
  assert.equal(headOf('import 3;'), '');
});

test('options are shown as one types them', () => {
  assert.equal(optionsText({ quick: { type: 'boolean' }, seed: { type: 'string' } }), '[--quick] [--seed TEXT]');
});

test('a tool refuses an option that it does not have, and runs nothing', () => {
  const { status, stdout, stderr } = run('--qick');
  assert.equal(status, 2);
  assert.equal(stdout, '');
  assert.equal(stderr, "Unknown option '--qick'\noptions: [--quick]\n");
});

test('a tool prints its head where --help is given', () => {
  const { status, stdout } = run('--help');
  assert.equal(status, 0);
  assert.match(stdout, /^Tests the packed library .*\n\noptions: \[--quick\]\n$/s);
});
