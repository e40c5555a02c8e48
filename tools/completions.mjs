// Writes the manual page and the shell completions that are shipped with the command. They are the output of
// `firstseen --generate`.

import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const root = join(dirname(fileURLToPath(import.meta.url)), '../packages/firstseen');

const files = {
  man: 'man/firstseen.1.gz',
  'complete-bash': 'dist/completions/firstseen.bash',
  'complete-zsh': 'dist/completions/_firstseen',
  'complete-fish': 'dist/completions/firstseen.fish',
};

for (const [kind, file] of Object.entries(files)) {
  const path = join(root, file);
  mkdirSync(dirname(path), { recursive: true });
  const text = execFileSync(process.execPath, [join(root, 'bin/firstseen.js'), '--generate', kind]);
  writeFileSync(path, path.endsWith('.gz') ? gzipSync(text, { level: 9 }) : text);
}
