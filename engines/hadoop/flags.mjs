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
  '--missing-key': ['map'],
  '--on-error': ['map'],
  '--max-record': ['map'],
  '--no-header': ['map'],
  '--strict': ['map'],
  '--emit': ['reduce'],
  '--keep-position': ['reduce'],
};

const withoutValue = ['--no-header', '--strict', '--keep-position', '--refresh'];

/** The flags with their values: [name, words]. A value may follow `=`. */
function* eachFlag(flags) {
  for (let i = 0; i < flags.length; i++) {
    const [name] = flags[i].split('=', 1);
    const hasNext = !flags[i].includes('=') && !withoutValue.includes(name);
    yield [name, flags.slice(i, i + (hasNext ? 2 : 1))];
    if (hasNext) i++;
  }
}

/** The flags that a phase takes. */
export function flagsFor(phase, flags) {
  return [...eachFlag(flags)].flatMap(([name, words]) => ((phasesOf[name] ?? shared).includes(phase) ? words : []));
}

/** The flags without these. */
export function flagsWithout(flags, names) {
  return [...eachFlag(flags)].flatMap(([name, words]) => (names.includes(name) ? [] : words));
}

/** The value of a flag that has any of these names; undefined if it is not given. */
export function flagValue(flags, ...names) {
  const found = [...eachFlag(flags)].findLast(([name]) => names.includes(name));
  if (found === undefined) return undefined;
  const [, [word, value]] = found;
  return value ?? word.slice(word.indexOf('=') + 1);
}
