// `firstseen pipe` with a parent in another language, which is written after docs/PIPE.md and uses no code of ours.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const source = fileURLToPath(new URL('./programs/go/pipe.go', import.meta.url));
const command = fileURLToPath(new URL('../../packages/firstseen/bin/firstseen.js', import.meta.url));

const hasGo = spawnSync('go', ['version']).status === 0;
const skip = hasGo ? false : 'go is not installed';

describe('a parent in Go', { skip }, () => {
  test('prints the lines that are seen for the first time, and its child ends with it', () => {
    const folder = mkdtempSync(join(tmpdir(), 'firstseen-pipe-'));
    try {
      const program = join(folder, 'pipe');
      const built = spawnSync('go', ['build', '-o', program, source], { encoding: 'utf8' });
      assert.deepEqual([built.status, built.stderr], [0, '']);
      const input = Array.from({ length: 30_000 }, (_, i) => `line ${(i * 7) % 20_000}\n`).join('');
      const { status, stdout, stderr } = spawnSync(program, [process.execPath, command, 'pipe'], {
        ...{ input, encoding: 'utf8', maxBuffer: 2 ** 26 },
      });
      assert.deepEqual([status, stderr], [0, '']);
      const direct = spawnSync(process.execPath, [command, '--memory', '1MiB'], {
        input,
        encoding: 'utf8',
        maxBuffer: 2 ** 26,
      });
      assert.equal(stdout, direct.stdout);
      assert.equal(stdout.split('\n').length, 20_001);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
