// The groups of a worker with `--repartition`. Each of its halves is a member of one: the second half of the group that is given as an option, and the first
// half of a group that is named after it.

const ENDING = '-repartition';

/** Returns the group of the first half. */
export function repartitionGroup(group: string): string {
  return `${group}${ENDING}`;
}

/** Returns the group to give as an option, for the group of a first half. */
export function groupOfHalf(group: string): string {
  return group.endsWith(ENDING) ? group.slice(0, -ENDING.length) : group;
}
