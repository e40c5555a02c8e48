// Writes the kernel's table of the properties of characters: `node tools/unicode.mjs`. A newer version of Unicode changes the words of
// documents, so it needs a name of its own in states (src/near/text.ts).

import { writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { tableSource } from './unicode/table.mjs';

export const tableUrl = new URL('../packages/firstseen/assembly/lib/properties.ts', import.meta.url);

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) writeFileSync(tableUrl, tableSource());
