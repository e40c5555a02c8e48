// States of records of integers go on in the command and in a program, which hash an integer alike.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { load } from '../../src/snapshot/load.js';
import { save } from '../../src/snapshot/snapshots.js';
import { temporaryFolder } from './support/command.js';
import { runCommand } from './support/runner.js';

/** Records of format u64. */
const recordsOf = (...integers: bigint[]) => new Uint8Array(BigUint64Array.from(integers).buffer);

/** Returns the state after a first run over records. */
async function stateOf(...integers: bigint[]): Promise<Uint8Array> {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'first.u64'), recordsOf(...integers));
  await runCommand(['first.u64', '-a', 'exact', '-m', '16KiB', '--state', 'state', '-o', 'out.u64'], { cwd });
  return new Uint8Array(readFileSync(join(cwd, 'state')));
}

/** Returns the records that pass a later run. */
async function passedOf(state: Uint8Array, ...integers: bigint[]): Promise<bigint[]> {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'state'), state);
  writeFileSync(join(cwd, 'more.u64'), recordsOf(...integers));
  const { code, stderr } = await runCommand(['more.u64', '--state', 'state', '-o', 'new.u64'], { cwd });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return [...new BigUint64Array(new Uint8Array(readFileSync(join(cwd, 'new.u64'))).buffer)];
}

test('the state of a run goes on in a program and in the command', async () => {
  const state = await stateOf(1n, 0x4141414141414141n);
  const detector = await load(state);
  expect([1, 0x4141414141414141n, 'AAAAAAAA'].map((each) => detector.test(each))).toEqual([
    ...['duplicate', 'duplicate', 'distinct'],
  ]);
  expect(await passedOf(state, 1n, 2n)).toEqual([2n]);
});

test('a state that a program has continued goes on in the command', async () => {
  const detector = await load(await stateOf(1n));
  for (const each of [2n, 'AAAAAAAA']) detector.observe(each);
  const state = await save(detector, detector.note);
  expect(await passedOf(state, 1n, 2n, 0x4141414141414141n)).toEqual([0x4141414141414141n]);
});
