// `firstseen lab advise` beside `firstseen plan`: each plans for every family, which takes ten seconds.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runFirstseen, temporaryFolder } from '../../../firstseen/test/cli/support/command.js';
import { runLab } from '../support/command.js';

test('lab advise recommends what the plan of the same file recommends', async () => {
  const cwd = temporaryFolder();
  const words = Array.from({ length: 30_000 }, (_, i) => `word ${Math.floor((i * 7919) % 6007) % (1 + (i % 4000))}`);
  writeFileSync(join(cwd, 'words.txt'), `${words.join('\n')}\n`);
  const flags = ['--memory', '2KiB', '--fpr', '0.05', '--format', 'lines'];
  const planned = await runFirstseen(['plan', '--sample', 'words.txt', '--json', ...flags], { cwd });
  const plan = JSON.parse(planned.stdout.toString());
  const { algorithm, layout, parameters } = plan.families.find(
    (family: { algorithm: string }) => family.algorithm === plan.recommended,
  );
  const shown = Object.entries(parameters).map(([letter, value]) => `${letter}=${value}`);
  const { stdout } = await runLab(['advise', 'words.txt', ...flags], { cwd });
  expect(stdout).toContain(`Recommended: ${algorithm}, ${layout}, ${shown.join(' ')}: FPR + FNR`);
  expect(stdout).toContain(`npx firstseen --algorithm ${algorithm} --layout ${layout} --memory 2KiB`);
});
