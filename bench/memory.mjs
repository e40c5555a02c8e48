// Memory of the whole command at its highest, whatever the size of the input.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { firstseen, runProgram } from './lib/commands.mjs';
import { url, writeRepeatingLines } from './lib/data.mjs';
import { row } from './lib/table.mjs';

const TARGET_MEBIBYTES = 150;

const peakModule = new URL('./lib/peak.mjs', import.meta.url).href;

/** The largest resident set of the command over a file, in bytes. */
function peakBytes(inputPath, memoryMebibytes, folder) {
  const { command, args } = firstseen('--memory', `${memoryMebibytes}MiB`, inputPath);
  const peakPath = join(folder, 'peak');
  const program = { command, args: ['--import', peakModule, ...args], env: { PEAK_MEMORY_FILE: peakPath } };
  runProgram(program, join(folder, 'output'));
  return Number(readFileSync(peakPath, 'utf8'));
}

function peakRow(count, inputPath, memoryMebibytes, folder) {
  const measured = peakBytes(inputPath, memoryMebibytes, folder) / 2 ** 20;
  return row({
    name: `detector of ${memoryMebibytes} MiB, ${count} lines`,
    measured,
    unit: 'MiB',
    compared: { to: 'MiB more than the detector', value: measured - memoryMebibytes },
    target: { bound: 'most', value: TARGET_MEBIBYTES },
  });
}

/** @returns {Promise<import('./lib/table.mjs').Section>} */
export async function measureMemory({ isQuick, folder }) {
  const counts = isQuick ? [5_000, 50_000] : [1_000_000, 10_000_000];
  const memories = isQuick ? [1, 16] : [1, 64, 512];
  const rows = counts.flatMap((count) => {
    const path = join(folder, `urls-${count}.txt`);
    writeRepeatingLines(path, { count, line: url });
    return memories.map((memory) => peakRow(count, path, memory, folder));
  });
  return { title: 'Memory', text: 'Largest resident set of the command over files of URLs of about 48 bytes.', rows };
}
