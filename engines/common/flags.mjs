// Which flags of firstseen each phase takes.

const shared = ['map', 'reduce'];
const all = ['map', 'combine', 'reduce'];

/** The phases that take a flag; flags that are not listed are those of the detector and the keys. */
const phasesOf = {
  '--algorithm': all,
  '-a': all,
  '--window': all,
  '--window-slack': all,
  '--refresh': all,
  '--approximate': ['combine'],
  '--missing-key': ['map'],
  '--on-error': ['map'],
  '--max-record': ['map'],
  '--max-lead': ['map'],
  '--time-until': ['map'],
  '--no-header': ['map'],
  '--strict': ['map'],
  '--emit': ['reduce'],
  '--keep-position': ['reduce'],
};

const withoutValue = ['--approximate', '--no-header', '--strict', '--keep-position', '--refresh'];

/** The name of a flag, and the value that its word has: after `=`, or directly after a single letter. */
function partsOf(word) {
  const [, name, value] = /^(--[^=]*)=(.*)$/s.exec(word) ?? /^(-[^-])(.+)$/s.exec(word) ?? [undefined, word];
  return { name, value };
}

/** The flags with their values: { name, value, words }. */
function* eachFlag(flags) {
  for (let i = 0; i < flags.length; i++) {
    const { name, value } = partsOf(flags[i]);
    const hasNext = value === undefined && !withoutValue.includes(name) && i + 1 < flags.length;
    if (hasNext) yield { name, value: flags[i + 1], words: flags.slice(i, i + 2) };
    else yield { name, value, words: [flags[i]] };
    if (hasNext) i++;
  }
}

/** The flags that a phase takes. */
export function flagsFor(phase, flags) {
  return [...eachFlag(flags)].flatMap(({ name, words }) => ((phasesOf[name] ?? shared).includes(phase) ? words : []));
}

/** The flags without these. */
export function flagsWithout(flags, names) {
  return [...eachFlag(flags)].flatMap(({ name, words }) => (names.includes(name) ? [] : words));
}

/** The value of a flag that has any of these names; undefined if it is not given. */
export function flagValue(flags, ...names) {
  return [...eachFlag(flags)].findLast(({ name }) => names.includes(name))?.value;
}
