// Writes the manual page that is shipped with the command: the output of `firstseen --generate man`.

import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const root = join(dirname(fileURLToPath(import.meta.url)), '../packages/firstseen');
const file = join(root, 'man/firstseen.1.gz');
const page = execFileSync(process.execPath, [join(root, 'bin/firstseen.js'), '--generate', 'man']);
mkdirSync(dirname(file), { recursive: true });
writeFileSync(file, gzipSync(page, { level: 9 }));
