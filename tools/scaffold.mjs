// Makes the files of a new family, ready to be filled: kernel, parameters and twin, of one base name.
// `node tools/scaffold.mjs NAME`; what is left to do by hand is printed.

import { existsSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const name = process.argv[2] ?? '';
if (!/^[a-z][a-z0-9]*$/.test(name)) {
  console.error('usage: node tools/scaffold.mjs NAME, a name of small letters and digits');
  process.exit(2);
}
const className = `${name[0].toUpperCase()}${name.slice(1)}Rule`;

const files = {
  [`packages/firstseen/assembly/detectors/${name}.ts`]: `// ${name}: the rule, and the paper and algorithm it comes from.

import { listPlace, observeBatch, PLACE_BYTES, Rule, testBatch } from '../lib/batch';
import { homeLine, lineAnchor } from '../lib/lines';

class ${className} extends Rule {
  listBytes(): u32 {
    return PLACE_BYTES;
  }

  touchBytes(): u32 {
    return PLACE_BYTES;
  }

  list(fingerprint: u64, index: u64, at: u32): void {
    listPlace(at, homeLine(lineAnchor(fingerprint)), 0);
  }

  observe(at: u32, index: u64): u32 {
    return this.test(at);
  }

  test(at: u32): u32 {
    return 0;
  }
}

export function ${name}Configure(): void {}

export function ${name}Observe(fingerprints: u32, verdicts: u32, count: u32): u32 {
  return observeBatch<${className}>(fingerprints, verdicts, count);
}

export function ${name}Test(fingerprints: u32, verdicts: u32, count: u32): void {
  testBatch<${className}>(fingerprints, verdicts, count);
}

export function ${name}Load(): f64 {
  return 0;
}
`,
  [`packages/firstseen/src/detectors/${name}.ts`]: `import type { Family } from './contract.js';

export const ${name}: Family = {
  name: '${name}',
  id: 0,
  title: '',
  source: '',
  rule: '',
  layouts: ['blocked'],
  layout: 'blocked',
  falsePositives: { kind: 'data-dependent', why: '' },
  falseNegatives: { kind: 'data-dependent', why: '' },
  parameters: [],
  resolve() {
    return { values: {}, kernel: [] };
  },
};
`,
  [`packages/firstseen/test/reference/${name}.ts`]: `// The twin of ${name}: the paper's pseudo-code as it reads, without regard to speed.
`,
};

for (const [path, text] of Object.entries(files)) {
  if (existsSync(join(root, path))) throw new Error(`${path} exists`);
  writeFileSync(join(root, path), text);
  console.log(`wrote ${path}`);
}
console.log(
  `now: a row in src/detectors/registry.ts and test/reference/twins.ts, a section "## ${name}" in docs/ALGORITHMS.md`,
);
