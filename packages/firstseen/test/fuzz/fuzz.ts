// Runs changed inputs of the corpus through its entries until the time is up. tools/fuzz.mjs starts it. An input that breaks an
// entry is shortened and written to test/corpus/inputs/found/.

import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../cli/support/command.js';
import {
  type CorpusInput,
  type Entry,
  entries,
  MAX_INPUT_BYTES,
  openHost,
  problemOf,
  scanEntries,
} from '../corpus/entries.ts';
import { inputsFolder, readInputs } from '../corpus/inputs.ts';
import { Random } from '../support/streams.ts';
import { minimised, mutated } from './mutate.ts';

const ENTRIES_EACH = 4;
const MAX_BYTES = 8192;
const MAX_ATTEMPTS = 300;
const SHOWN_CHARACTERS = 300;

const stateEntries = entries.filter(({ format, name }) => format === undefined && !name.startsWith('scan'));
const minutes = Number(process.env.FUZZ_MINUTES);
const seed = Number(process.env.FUZZ_SEED);
/** The file that holds the current input, in case an entry never returns. */
const currentFile = process.env.FUZZ_CURRENT ?? '';

function save({ name, bytes }: CorpusInput): string {
  const folder = join(inputsFolder, 'found');
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 12);
  const path = join(folder, `${hash}${extname(name)}`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(path, bytes);
  return path;
}

/** The entries to draw from: for a state, those without a format; for records, any entry first and then only scanners. */
function choicesFor(name: string, i: number): readonly Entry[] {
  if (name.endsWith('.state')) return stateEntries;
  return i > 0 ? scanEntries : entries;
}

test('no entry breaks on a changed input', { timeout: 0 }, async () => {
  const host = await openHost(temporaryFolder());
  const inputs = readInputs();
  const others = inputs.map(({ bytes }) => bytes);
  const random = new Random(seed);
  const broken = new Map<Entry, string>();
  const end = Date.now() + minutes * 60_000;
  let count = 0;

  while (Date.now() < end) {
    const { name, bytes } = inputs[random.below(inputs.length)] as CorpusInput;
    const input = { name, bytes: mutated(bytes, random, others) };
    if (input.bytes.length > (name.endsWith('.state') ? MAX_INPUT_BYTES : MAX_BYTES)) continue;
    writeFileSync(currentFile, input.bytes);
    count++;
    for (let i = 0; i < ENTRIES_EACH; i++) {
      const choice = choicesFor(name, i);
      const entry = choice[random.below(choice.length)] as Entry;
      if (broken.has(entry)) continue;
      const problem = await problemOf(entry, input, host);
      if (problem === undefined) continue;
      const isBroken = async (changed: Uint8Array) =>
        (await problemOf(entry, { name, bytes: changed }, host)) !== undefined;
      const path = save({ name, bytes: await minimised(input.bytes, isBroken, MAX_ATTEMPTS) });
      broken.set(entry, path);
      console.log(`${entry.name}\n  ${problem.slice(0, SHOWN_CHARACTERS)}\n  kept as ${path}`);
    }
  }
  console.log(`${count} inputs, ${broken.size} entries broken, seed ${seed}`);
  expect([...broken.values()]).toEqual([]);
});
