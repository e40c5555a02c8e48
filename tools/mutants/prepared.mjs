// The copy with its switches, which is made again only when the checkout or the sample has changed.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { copyTree, sourceFiles } from '../copytree.mjs';
import { isKernelSource } from '../kernelsources.mjs';
import { digestOf } from './candidates.mjs';
import { writeSwitches } from './copy.mjs';
import { isOfKernel } from './sample.mjs';
import { buildTests } from './suite.mjs';

/** This tool, and its reports. */
const WITHOUT_EFFECT = /^tools\/(test\/)?mutants/;

/** A digest of all files of a checkout. */
export function digestOfFiles(root) {
  const files = sourceFiles(root).filter((path) => !WITHOUT_EFFECT.test(path));
  return digestOf(...files.sort().flatMap((path) => [path, digestOf(readFileSync(join(root, path)))]));
}

/** The numbers of the switches of mutants, by their ids. Those of kernels have none. */
function numbersOf(mutants) {
  return Object.fromEntries(mutants.filter((mutant) => !isOfKernel(mutant)).map(({ id }, i) => [id, i + 1]));
}

function hasAll(numbers, mutants) {
  return mutants.every((mutant) => isOfKernel(mutant) || mutant.id in numbers);
}

/** Makes the copy of a checkout with all mutants, and builds it. @returns the numbers of the mutants */
export async function prepareCopy({ root, work, folder, mutants, sources }) {
  const stamp = join(work, 'stamp.json');
  const made = existsSync(stamp) ? JSON.parse(readFileSync(stamp, 'utf8')) : undefined;
  const isMade = made?.digest === sources && hasAll(made.numbers, mutants);
  const numbers = isMade ? made.numbers : numbersOf(mutants);
  if (!isMade) {
    mkdirSync(work, { recursive: true });
    copyTree(root, folder);
    const switchable = mutants
      .filter(({ id }) => id in numbers)
      .map((mutant) => ({ ...mutant, number: numbers[mutant.id] }));
    writeSwitches({ root, folder, mutants: switchable });
  }
  // A run that was ended may have left a mutant of a kernel.
  for (const path of sourceFiles(root).filter(isKernelSource)) {
    const text = readFileSync(join(root, path), 'utf8');
    if (readFileSync(join(folder, path), 'utf8') !== text) writeFileSync(join(folder, path), text);
  }
  const isBuilt = await buildTests({ folder, output: join(work, 'build') });
  if (!isBuilt) throw new Error(`the copy cannot be built: ${join(work, 'build.txt')}`);
  writeFileSync(stamp, JSON.stringify({ digest: sources, numbers }));
  return numbers;
}
