import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { commandHelp } from '../docs/printed.mjs';

const root = mkdtempSync(join(tmpdir(), 'firstseen-printed-'));
afterAll(() => rmSync(root, { recursive: true }));

test('a page does not lose its help where the command does not run', () => {
  mkdirSync(join(root, 'docs/command'), { recursive: true });
  writeFileSync(join(root, 'docs/command/motifs.md'), '## firstseen motifs --help\n\n```text\nUsage: as before\n```\n');
  expect(() => commandHelp(root)).toThrow('firstseen motifs --help ended with 1');
});
