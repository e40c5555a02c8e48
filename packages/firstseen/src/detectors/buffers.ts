// Shared by the buffering methods: how an entry to replace is chosen, how many entries fit in a memory, and what counts as
// memory.

import {
  BUFFER_CLOCK,
  BUFFER_ENTRIES_PARAMETER,
  BUFFER_KEY_BYTES_PARAMETER,
  BUFFER_LRU,
  BUFFER_MILESTONES_PARAMETER,
  BUFFER_REPLACEMENT_PARAMETER,
  MILESTONE_BYTES,
  MILESTONE_STRIDE,
} from '../kernel/abi.js';
import {
  type FamilyParameter,
  type Guarantee,
  type ParameterRequest,
  type ResolvedParameters,
  wordParameter,
} from './contract.js';

/** The kernel's number of a replacement is its index. */
const replacements = ['lru', 'clock'] as const;
type Replacement = (typeof replacements)[number];

/** The countings of memory: the bytes that count. */
const countings = ['all', 'entries64', 'entries32'] as const;

/** The head of a chain of the index, one for each entry, and the link to the next entry of the chain. */
const INDEX_BYTES = 4 + 4;
/** The bytes that a replacement stores for an entry: links to two neighbours, or a bit in the link of the chain. */
const REPLACEMENT_BYTES = { lru: 8, clock: 0 } as const;
/**
 * With lru one in 64 new entries is listed, so that the order of use can be followed from several of them at a time
 * (assembly/lib/milestones.ts). A buffer with fewer entries than this fits in the caches, where the list costs more than it
 * saves.
 */
const FEWEST_LISTED = 2 ** 16;
const WORD_BYTES = 8;

export const bufferParameters: readonly FamilyParameter[] = [
  {
    letter: 'replacement',
    name: 'replacement',
    description: 'the entry to replace: the least recently used, or its approximation by Clock',
    words: replacements,
  },
  {
    letter: 'counting',
    name: 'memoryCounting',
    description:
      'what counts as memory: everything that the structure uses, or only 64 or 32 bits per entry, as in the paper',
    words: countings,
  },
  { letter: 'C', name: 'capacityElements', description: 'distinct elements that the buffer holds', derived: true },
];

export const bufferMisses: Guarantee = {
  kind: 'bounded',
  bound:
    'with lru none if fewer than C other distinct elements came since the element; with clock they depend on the data',
  source: 'lru keeps the C most recently used elements, and Clock approximates that, deng-2006, section 5.2',
};

/** The maximum number of milestones of a buffer with C entries. */
function milestonesFor(C: number, replacement: Replacement): number {
  return replacement === 'lru' && C >= FEWEST_LISTED ? Math.ceil(C / MILESTONE_STRIDE) + 2 : 0;
}

/** Returns the number of entries that fit in a memory together with their milestones. */
function capacityBeside(memoryBytes: number, entryBytes: number, replacement: Replacement): number {
  const most = Math.floor(memoryBytes / entryBytes);
  const listBytes = milestonesFor(most, replacement) * MILESTONE_BYTES;
  return Math.max(Math.min(most, FEWEST_LISTED - 1), Math.floor((memoryBytes - listBytes) / entryBytes));
}

/**
 * C, the bytes of the cells, and the kernel's numbers: replacement, bytes of a key, C, milestones.
 * @throws FirstseenError E_PARAMETER for an unknown word.
 */
export function resolveBuffer(request: ParameterRequest): ResolvedParameters {
  const replacement = wordParameter(request, 'replacement', replacements);
  const counting = wordParameter(request, 'counting', countings);
  const keyBytes = counting === 'entries32' ? 4 : 8;
  const entryBytes = keyBytes + INDEX_BYTES + REPLACEMENT_BYTES[replacement];
  const all = counting === 'all';
  const C = all
    ? capacityBeside(request.memoryBytes, entryBytes, replacement)
    : Math.floor(request.memoryBytes / keyBytes);
  const milestones = milestonesFor(C, replacement);
  const cellsBytes = C * entryBytes + milestones * MILESTONE_BYTES;
  return {
    values: { replacement, counting, C },
    kernel: [
      [BUFFER_REPLACEMENT_PARAMETER, replacement === 'clock' ? BUFFER_CLOCK : BUFFER_LRU],
      [BUFFER_KEY_BYTES_PARAMETER, keyBytes],
      [BUFFER_ENTRIES_PARAMETER, C],
      [BUFFER_MILESTONES_PARAMETER, milestones],
    ],
    ...(all ? {} : { cellsBytes: Math.ceil(cellsBytes / WORD_BYTES) * WORD_BYTES }),
  };
}
