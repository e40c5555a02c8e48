// The text about blocks that follow one that is not whole.

import { formatCounted } from '../../base/count.js';

/** Returns a text such as `95 whole blocks with 95,000 changes`. */
export function followingText({ blocks, changes }: { blocks: number; changes: number }): string {
  return `${formatCounted(blocks, 'whole block')} with ${formatCounted(changes, 'change')}`;
}
