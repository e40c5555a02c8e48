// States written by version 0.1.0, with the outputs of version 0.1.0 when it continued from them. The current version must
// produce the same outputs.

import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../cli/support/command.ts';
import { runCommand } from '../cli/support/runner.ts';
import { sampleNote, sampleOf } from '../support/form.ts';

const folder = join(import.meta.dirname, 'states-0.1.0');
const names = readdirSync(folder);
const continuedAgain = sampleOf(names, 4);

/** The text of an output. Compressed bytes are not compared, because they depend on the version of Node. */
function textOf(path: string): string {
  const bytes = readFileSync(path);
  return (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString();
}

/** Versions of V8 round logarithms and powers differently, so derived rates agree to 12 digits, not to the last one. */
const COMPARED_DIGITS = 12;

const LATER_COUNTS = ['empty_key', 'not_compared'];
/** What later versions tell of a witness, of which these states have all that is needed. */
const LATER_FIGURES = ['new_elements', 'repeats'];

function described(json: string): object {
  // A later version stores more in the note of a state, so the file is larger. It also counts empty keys and
  // records that are not compared; 0.1.0 has no such counts. It has another capacity of a Bloom filter in lines, which decides no answer.
  const { file_bytes: _bytes, ...state } = JSON.parse(json, (key, value) => {
    if (LATER_COUNTS.includes(key) && value === 0) return undefined;
    return typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(COMPARED_DIGITS)) : value;
  });
  if (state.algorithm === 'bloom') delete state.parameters.n;
  for (const name of LATER_FIGURES) delete state.witness?.[name];
  return state;
}

async function inspected(cwd: string): Promise<object> {
  const { stdout, stderr } = await runCommand(['inspect', 'state', '--json'], { cwd });
  expect(stderr).toBe('');
  return described(stdout.toString());
}

test('the folder contains all 14 states', () => {
  expect(names.length).toBe(14);
});

describe.each(names)('the state of %s', (name) => {
  const at = (...parts: string[]) => join(folder, name, ...parts);
  const args = JSON.parse(readFileSync(at('args.json'), 'utf8')) as string[];
  const outputs = readdirSync(at('after'));

  test('has the same description as in version 0.1.0 and continues with the same outputs', async () => {
    const cwd = temporaryFolder();
    cpSync(at('before'), cwd, { recursive: true });
    expect(await inspected(cwd)).toEqual(described(readFileSync(at('inspect-before.json'), 'utf8')));
    const { code, stderr } = await runCommand(args, { cwd });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const output of outputs) expect(textOf(join(cwd, output))).toBe(textOf(at('after', output)));
    expect(await inspected(cwd)).toEqual(described(readFileSync(at('inspect-after.json'), 'utf8')));
  });

  if (!continuedAgain.includes(name)) return;
  test(`continues again from the state that this version writes${sampleNote}`, async () => {
    const cwd = temporaryFolder();
    cpSync(at('before'), cwd, { recursive: true });
    await runCommand(args, { cwd });
    const before = outputs.map((output) => textOf(join(cwd, output)));
    const { code, stderr } = await runCommand([...args, '--stats=json'], { cwd });
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stderr)).toMatchObject({ resumed: true, error: null });
    expect(outputs.map((output) => textOf(join(cwd, output)))).toEqual(before);
  });
});
