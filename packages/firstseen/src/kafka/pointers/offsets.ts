// The offsets that a group has committed, beside its pointers.

import type { GroupMember } from '../../io/kafka/contract.js';
import type { CutPointer } from './pointer.js';

/**
 * The offsets again, where they are not those of the pointers. The pointers were read later, and a transaction may have ended in between, as
 * that of a worker before this one. What differs then was changed by somebody else.
 */
export async function offsetsBeside(
  member: Pick<GroupMember, 'committed'>,
  committed: ReadonlyMap<number, number>,
  pointers: ReadonlyMap<number, Pick<CutPointer, 'position'>>,
): Promise<ReadonlyMap<number, number>> {
  const differs = ([partition, offset]: readonly [number, number]) => {
    const pointer = pointers.get(partition);
    return pointer !== undefined && pointer.position !== offset;
  };
  const differing = [...committed].filter(differs).map(([partition]) => partition);
  return differing.length === 0 ? committed : new Map([...committed, ...(await member.committed(differing))]);
}
