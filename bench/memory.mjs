// Peak memory of the whole command, which does not depend on the size of the input.

import { join } from 'node:path';
import { firstseen, runMeasuringMemory } from './lib/commands.mjs';
import { url, writeRepeatingLines } from './lib/data.mjs';
import { row } from './lib/table.mjs';

/** Beside the detector. With the default one, of 64 MiB, that is a peak of 115. */
const TARGET_MEBIBYTES = 51;

function peakRow(count, inputPath, memoryMebibytes, folder) {
  const program = firstseen('--memory', `${memoryMebibytes}MiB`, inputPath);
  const measured = runMeasuringMemory(program, join(folder, 'output')).peakBytes / 2 ** 20;
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
