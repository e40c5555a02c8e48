// Runs a case in a folder of its own, and gives the same case with what the commands wrote in place of what was expected.

import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

function writeInputs(inputs, folder) {
  for (const { name, bytes } of inputs) {
    if (name === 'stdin') continue;
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), bytes);
  }
}

/** What a command wrote to standard error. A pattern stays where it matches. */
function errorsOf(expected, stderr) {
  const isMatch = expected?.form === 'pattern' && new RegExp(`^${String(expected.bytes).trimEnd()}\n$`).test(stderr);
  return isMatch ? expected : sameOrNew(expected, Buffer.from(stderr));
}

/** The files as they are now, without those that are not there. */
function filesNow(files, folder) {
  return files
    .filter(({ name }) => existsSync(join(folder, name)) && statSync(join(folder, name)).isFile())
    .map((file) => sameOrNew(file, readFileSync(join(folder, file.name))));
}

/** A block with these bytes. It names another file only as long as that has the same content. */
function sameOrNew(block, bytes) {
  return block?.bytes.equals(bytes) ? block : { ...block, form: undefined, from: undefined, bytes };
}

/**
 * @param run runs a command with `{ cwd, stdin }`, where stdin is a list of pieces; resolves to its code, stdout and stderr
 * @returns the case with the results of its commands
 */
export async function actualCase(one, run) {
  const folder = mkdtempSync(join(tmpdir(), 'firstseen-case-'));
  try {
    writeInputs(one.inputs, folder);
    const stdin = one.inputs.filter(({ name }) => name === 'stdin').map(({ bytes }) => bytes);
    const runs = [];
    for (const expected of one.runs) {
      const { code, stdout, stderr } = await run(expected.args, { cwd: folder, stdin });
      const files = filesNow(expected.files, folder);
      const streams = { stdout: sameOrNew(expected.stdout, stdout), stderr: errorsOf(expected.stderr, stderr) };
      runs.push({ ...expected, ...streams, code, files });
    }
    return { ...one, runs };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
