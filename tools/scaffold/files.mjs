// The files of a new family. They implement a small working rule, a table in which an element replaces the content of its slot, so
// that the family builds and passes its tests before its real rule is written.

function capitalized(name) {
  return `${name[0].toUpperCase()}${name.slice(1)}`;
}

function kernelFile(name) {
  const rule = `${capitalized(name)}Rule`;
  return `// ${name}: each element replaces the content of its slot in a table (name the paper and algorithm here).

import { LOCATION_BYTES, listLocation, locationWord, observeBatch, Rule, testBatch } from '../lib/batch';
import { cellsBytes, cellsOffset } from '../lib/memory';
import { addressHash, reduce, seedRandom } from '../lib/random';

const SLOT_BYTES: u32 = 8;

let slots: u32 = 0;

/** The value that a slot stores for an element; 0 marks an empty slot. */
function entryOf(hash: u64): u64 {
  return hash == 0 ? 1 : hash;
}

/** A list consists of the address of the element's slot and its entry. */
class ${rule} extends Rule {
  listBytes(): u32 {
    return LOCATION_BYTES + 8;
  }

  touchBytes(): u32 {
    return LOCATION_BYTES;
  }

  list(fingerprint: u64, index: u64, at: u32): void {
    const hash = addressHash(fingerprint, 0);
    store<u64>(listLocation(at, cellsOffset() + reduce(hash, slots) * SLOT_BYTES, 0), entryOf(hash));
  }

  observe(at: u32, index: u64): u32 {
    const verdict = this.test(at);
    store<u64>(locationWord(at), load<u64>(at + LOCATION_BYTES));
    return verdict;
  }

  test(at: u32): u32 {
    return u32(load<u64>(locationWord(at)) == load<u64>(at + LOCATION_BYTES));
  }
}

export function ${name}Configure(): void {
  seedRandom();
  slots = cellsBytes() / SLOT_BYTES;
}

export function ${name}Observe(fingerprints: u32, verdicts: u32, count: u32): u32 {
  return observeBatch<${rule}>(fingerprints, verdicts, count);
}

export function ${name}Test(fingerprints: u32, verdicts: u32, count: u32): void {
  testBatch<${rule}>(fingerprints, verdicts, count);
}

/** Fraction of slots in use. */
export function ${name}Load(): f64 {
  let used: u32 = 0;
  for (let slot: u32 = 0; slot < slots; slot++) used += u32(load<u64>(cellsOffset() + slot * SLOT_BYTES) != 0);
  return <f64>used / <f64>slots;
}
`;
}

function parametersFile(name, id) {
  return `import type { DetectorFamily, FamilyDescription } from './contract.js';

const SLOT_BYTES = 8;

export const ${name}Description: FamilyDescription = {
  title: '${capitalized(name)}, a table of fingerprints',
  source: 'made by tools/scaffold.mjs',
  rule: 'Every element replaces what is in its slot of one table.',
  falsePositives: {
    kind: 'bounded',
    bound: '2 / 2^64: two keys may share a fingerprint',
    source: 'uniform 64-bit hash',
  },
  falseNegatives: { kind: 'data-dependent', why: 'the next element of a slot replaces the one before' },
};

export const ${name}: DetectorFamily = {
  name: '${name}',
  id: ${id},
  layouts: ['classic'],
  layout: 'classic',
  parameters: [{ letter: 'N', name: 'slotCount', description: 'slots of the table', derived: true }],
  resolve({ memoryBytes }) {
    return { values: { N: Math.floor(memoryBytes / SLOT_BYTES) }, kernel: [] };
  },
};
`;
}

function planFile(name) {
  return `// Each other element takes a given slot with probability 1 / N. An element is missed if one of the elements observed since
// then has the same slot.

import { mapInSteps } from '../base/steps.js';
import { type FamilyPlan, inLayouts, numberOf } from './contract.js';
import type { GapsAt } from './grid.js';

/** Probability that two keys have the same entry. */
const COLLISION = 2 ** -63;

/** Probability that at least one of \`elements\` distinct elements took a given slot. */
function taken(elements: number, slots: number): number {
  return -Math.expm1(elements * Math.log1p(-1 / slots));
}

export const ${name}: FamilyPlan = {
  name: '${name}',
  candidates: () => inLayouts(['classic'], [{}]),
  *course(settings, { distinct, stream, at }) {
    const slots = numberOf(settings, 'N');
    const load = yield* mapInSteps(distinct, (elements) => taken(elements, slots));
    return {
      load,
      falsePositive: load.map((share) => share * COLLISION),
      miss: (i, c) => taken(stream.distinctIn(Math.max(0, ((at[i] as GapsAt).gaps[c] as number) - 1)), slots),
    };
  },
};
`;
}

function twinFile(name) {
  const twin = `${capitalized(name)}Twin`;
  return `// The twin of ${name}: the rule in its simplest form, without regard to speed.

import type { DetectorSettings } from '../../src/detectors/settings.js';
import { fromTopBits, Generator } from './random.js';
import { type Answer, numberOf, type Twin, type TwinRow } from './twin.js';

class ${twin} implements Twin {
  readonly #generator: Generator;
  readonly #slots: number;
  /** The entry of each used slot. */
  readonly #table = new Map<number, bigint>();

  constructor(settings: DetectorSettings) {
    this.#generator = new Generator(settings.seed);
    this.#slots = numberOf(settings, 'N');
  }

  #find(fingerprint: bigint): { slot: number; entry: bigint } {
    const hash = this.#generator.hash(fingerprint, 0);
    return { slot: fromTopBits(hash, this.#slots), entry: hash === 0n ? 1n : hash };
  }

  test(fingerprint: bigint): Answer {
    const { slot, entry } = this.#find(fingerprint);
    return this.#table.get(slot) === entry ? 1 : 0;
  }

  observe(fingerprint: bigint): Answer {
    const answer = this.test(fingerprint);
    const { slot, entry } = this.#find(fingerprint);
    this.#table.set(slot, entry);
    return answer;
  }

  load(): number {
    return this.#table.size / this.#slots;
  }
}

export const ${name}: TwinRow = {
  create: (settings) => new ${twin}(settings),
  parameterSets: [{}],
  falsePositiveBound: () => 2 ** -63,
};
`;
}

/** The text of each new file, by its path. `id` is the family's number in snapshots. */
export function familyFiles(name, id) {
  return {
    [`packages/firstseen/assembly/detectors/${name}.ts`]: kernelFile(name),
    [`packages/firstseen/src/detectors/${name}.ts`]: parametersFile(name, id),
    [`packages/firstseen/src/plan/${name}.ts`]: planFile(name),
    [`packages/firstseen/test/reference/${name}.ts`]: twinFile(name),
  };
}
