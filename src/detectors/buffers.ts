// What the buffering methods share: how an entry to be replaced is chosen, how many entries a memory holds, and what is
// counted as memory.

import {
  type FamilyParameter,
  type Guarantee,
  type ParameterRequest,
  type ResolvedParameters,
  wordParameter,
} from './contract.js';

/** The kernel's numbers are the places in this list. */
const replacements = ['lru', 'clock'] as const;

/** Which bytes are held against the memory asked for. */
const countings = ['all', 'entries64', 'entries32'] as const;

/** The head of a chain of the index, of which there are as many as entries, and the link to the next entry of the chain. */
const INDEX_BYTES = 4 + 4;
/** What a replacement keeps of an entry: links to two neighbours, or a bit in the link of the chain. */
const REPLACEMENT_BYTES = { lru: 8, clock: 0 } as const;
const WORD_BYTES = 8;

export const bufferParameters: readonly FamilyParameter[] = [
  {
    letter: 'replacement',
    name: 'replacement',
    description: 'the entry that makes room: the least recently used, or the one Clock takes for it',
    words: replacements,
  },
  {
    letter: 'counting',
    name: 'memoryCounting',
    description:
      'what the memory asked for has to hold: all that the structure uses, or only 64 or 32 bits an entry, as the paper counts',
    words: countings,
  },
  { letter: 'C', name: 'capacityElements', description: 'distinct elements that the buffer holds', derived: true },
];

export const bufferMisses: Guarantee = {
  kind: 'bounded',
  bound:
    'with lru none if fewer than C other distinct elements came since the element did; with clock as the data have it',
  source: 'the C elements used last are held; Clock approximates that, deng-2006, section 5.2',
};

/**
 * C, the bytes of the cells, and the kernel's numbers: replacement, bytes of a key, C.
 * @throws FirstseenError E_PARAMETER for an unknown word.
 */
export function resolveBuffer(request: ParameterRequest): ResolvedParameters {
  const replacement = wordParameter(request, 'replacement', replacements) as (typeof replacements)[number];
  const counting = wordParameter(request, 'counting', countings) as (typeof countings)[number];
  const keyBytes = counting === 'entries32' ? 4 : 8;
  const entryBytes = keyBytes + INDEX_BYTES + REPLACEMENT_BYTES[replacement];
  const C = Math.floor(request.memoryBytes / (counting === 'all' ? entryBytes : keyBytes));
  return {
    values: { replacement, counting, C },
    kernel: [replacements.indexOf(replacement), keyBytes, C],
    ...(counting === 'all' ? {} : { cellsBytes: Math.ceil((C * entryBytes) / WORD_BYTES) * WORD_BYTES }),
  };
}
