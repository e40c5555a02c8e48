// Switches: all mutants of a sample in one text of a source. An environment variable chooses the one that is active, so one build serves all.

import ts from '@typescript/typescript6';

/** The number of the active mutant. Not `FIRSTSEEN_...`: `firstseen serve` reads its options from those. */
export const ACTIVE = 'MUTANT_ACTIVE';
/** The folder in which processes note the mutants that they reach. */
export const HITS = 'MUTANT_HITS';
/** The file of tests for which a process runs. */
export const TEST_FILE = 'MUTANT_TEST_FILE';

/** The number that stands for the kernel: who starts a kernel reaches it. */
export const KERNEL = 0;

/** The function of the switches, at the end of a source, where it shifts no line. Functions are there before the modules that import them. */
function helper(count) {
  return `
var __mutants;
function __mutant(index) {
  __mutants ??= globalThis.__mutants ??= (() => {
    const { env, pid, getBuiltinModule } = globalThis.process ?? {};
    const hits = getBuiltinModule && env?.${HITS};
    const seen = new Uint8Array(${count}).fill(hits ? 0 : 1);
    const note = (at) => {
      seen[at] = 1;
      const name = hits + '/' + pid + '-' + getBuiltinModule('node:worker_threads').threadId;
      getBuiltinModule('node:fs').appendFileSync(name, at + '\\t' + env.${TEST_FILE} + '\\n');
    };
    return { active: Number(env?.${ACTIVE} ?? -1), seen, note, forget: () => hits && seen.fill(0) };
  })();
  if (__mutants.seen[index] === 0) __mutants.note(index);
  return __mutants.active === index;
}
`;
}

/** Mutants in the order in which they begin, those around others first. */
function outermostFirst(mutants) {
  return [...mutants].sort((one, other) => one.start - other.start || other.end - one.end);
}

/** A part of a text with its mutants switched. */
function switched(text, { start, end, mutants }) {
  let written = '';
  let at = start;
  const pending = [...mutants];
  while (pending.length > 0) {
    const mutant = pending.shift();
    const inside = [];
    while (pending.length > 0 && pending[0].start < mutant.end) inside.push(pending.shift());
    const original = switched(text, { start: mutant.start, end: mutant.end, mutants: inside });
    written += `${text.slice(at, mutant.start)}(__mutant(${mutant.number}) ? (${mutant.after}) : (${original}))`;
    at = mutant.end;
  }
  return written + text.slice(at, end);
}

/** The places where a kernel starts, as mutants that change nothing. */
function startsOf(text) {
  if (!/WebAssembly\.(instantiate|Instance)\b/.test(text)) return [];
  const source = ts.createSourceFile('kernel.ts', text, ts.ScriptTarget.Latest, true);
  const starts = [];
  const visit = (node) => {
    const isStart =
      (ts.isCallExpression(node) || ts.isNewExpression(node)) &&
      /^WebAssembly\.(instantiate|Instance)$/.test(node.expression.getText());
    if (isStart) {
      starts.push({ number: KERNEL, start: node.getStart(), end: node.getEnd(), after: node.getText() });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return starts;
}

/**
 * The text of a source with switches.
 * @param mutants those of this source, with their numbers, which are below `count`
 * @returns undefined if the source has none
 * @throws Error for a mutant without a number below `count`, which would never be noted
 */
export function withSwitches(text, mutants, count) {
  const unnumbered = mutants.find(({ number }) => !(number < count));
  if (unnumbered) throw new Error(`a mutant has the number ${unnumbered.number}, which is not below ${count}`);
  const places = outermostFirst([...mutants, ...startsOf(text)]);
  if (places.length === 0) return undefined;
  const changed = switched(text, { start: 0, end: text.length, mutants: places });
  // Both values of a switch need not fit the types around it. The first line is a comment in nearly all sources.
  return `${/^\/\//.test(changed) ? changed.replace(/^.*/, '// @ts-nocheck') : `// @ts-nocheck\n${changed}`}${helper(count)}`;
}
