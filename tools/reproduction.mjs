// `npm run reproduce`: repeats every table and figure at 1/32 of its scale, and writes docs/REPRODUCTION.md with its
// plots. Results are kept in lab/results/results.jsonl, so only missing ones are run. Results at full scale, if any,
// are in lab/results/full.jsonl. Flags such as --data R2=PATH are passed to `firstseen lab reproduce`.

import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const docs = join(root, 'docs');
const report = join(root, 'build/reproduction');
const results = join(root, 'lab/results');
const full = join(results, 'full.jsonl');

rmSync(report, { recursive: true, force: true });
const flags = ['--output', results, '--report', report, ...(existsSync(full) ? ['--also', full] : [])];
const command = [
  join(root, 'packages/firstseen/dist/cli/main.js'),
  'lab',
  'reproduce',
  ...flags,
  ...process.argv.slice(2),
];
const { status } = spawnSync(process.execPath, command, { stdio: ['ignore', 'ignore', 'inherit'] });
if (status !== 0) process.exit(status ?? 1);

const plots = join(docs, 'plots');
rmSync(plots, { recursive: true, force: true });
mkdirSync(plots, { recursive: true });
for (const name of readdirSync(join(report, 'plots'))) copyFileSync(join(report, 'plots', name), join(plots, name));
copyFileSync(join(report, 'report.md'), join(docs, 'REPRODUCTION.md'));
