// The long form of the rotation fuzz. tools/fuzz-rotation.mjs starts it. The folder of a round that fails is kept.

import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Mode, modes, type RoundResult, rotationRound } from './round.ts';

const seed = Number(process.env.FUZZ_SEED);
const rounds = Number(process.env.FUZZ_ROUNDS);
const chosen = modes.filter((mode) => !process.env.FUZZ_MODE || mode === process.env.FUZZ_MODE);
const keptFolder = process.env.FUZZ_KEPT ?? tmpdir();

function sumOf(results: readonly RoundResult[], figure: 'lines' | 'lost' | 'falseAlarms' | 'rotations' | 'kills') {
  return results.reduce((sum, result) => sum + result[figure], 0);
}

function summary(results: readonly RoundResult[]): string {
  const failed = results.filter(({ problem }) => problem !== undefined).length;
  const disordered = results.filter(({ isInOrder }) => !isInOrder).length;
  const done = `${results.length} rounds, ${sumOf(results, 'lines')} lines, ${sumOf(results, 'rotations')} rotations`;
  const faults = `${failed} rounds failed, ${sumOf(results, 'lost')} lines lost`;
  const notes = `${sumOf(results, 'falseAlarms')} false alarms, ${disordered} rounds not in the order of writing`;
  return `${done}, ${sumOf(results, 'kills')} kills; ${faults}, ${notes}`;
}

test('every line of a rotated log comes out once', { timeout: 0 }, async () => {
  const results: RoundResult[] = [];
  for (let i = 0; i < rounds; i++) {
    const mode = chosen[i % chosen.length] as Mode;
    const folder = mkdtempSync(join(tmpdir(), 'firstseen-rotation-'));
    const result = await rotationRound(folder, seed + i, mode);
    results.push(result);
    if (result.problem === undefined) rmSync(folder, { recursive: true });
    else {
      mkdirSync(keptFolder, { recursive: true });
      const kept = join(keptFolder, `${mode}-${seed + i}`);
      rmSync(kept, { recursive: true, force: true });
      renameSync(folder, kept);
      console.log(`seed ${seed + i}, kept as ${kept}\n    ${result.problem}`);
    }
  }
  console.log(summary(results));
  expect(results.filter(({ problem }) => problem !== undefined)).toEqual([]);
});
