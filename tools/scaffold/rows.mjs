// Adds the rows of a new family to the files that list families. A row is appended to its list, because the order of a registry is
// also the order in texts. Imports are inserted in the order that the formatter requires.

const SOURCE = 'packages/firstseen/src';

/**
 * Lists of families in code, with the text that opens and closes each list. A list holds the export `NAME` of each family, or, by
 * name, its export `NAME` followed by the word of `exported`.
 */
const lists = {
  [`${SOURCE}/detectors/registry.ts`]: {
    opening: 'export const detectorFamilies: readonly DetectorFamily[] = [',
    closing: '\n];',
  },
  [`${SOURCE}/detectors/descriptions.ts`]: {
    opening: 'const descriptions: Readonly<Record<DetectorName, FamilyDescription>> = {',
    closing: '\n};',
    exported: 'Description',
  },
  [`${SOURCE}/plan/registry.ts`]: { opening: 'export const familyPlans: readonly FamilyPlan[] = [', closing: '\n];' },
  'packages/firstseen/test/reference/twins.ts': {
    opening: 'export const twins: Readonly<Record<string, TwinRow>> = {',
    closing: '\n};',
  },
};

function indexOf(text, part, from = 0) {
  const at = text.indexOf(part, from);
  if (at < 0) throw new Error(`there is no ${JSON.stringify(part)}`);
  return at;
}

function insert(text, at, added) {
  return text.slice(0, at) + added + text.slice(at);
}

/** `text` with an import of `imported` from the file `name` in the same folder. Imports are in the order of file names. */
export function withImport(text, name, imported = name) {
  const beside = [...text.matchAll(/^import .*? from '\.\/(\w+)\.js';\n/gms)];
  const next = beside.find(([, file]) => file > name);
  const last = beside.at(-1);
  const at = next ? next.index : last.index + last[0].length;
  return insert(text, at, `import { ${imported} } from './${name}.js';\n`);
}

/** `text` with `row` as the last of the list between `opening` and `closing`. */
export function withRow(text, row, { opening, closing }) {
  return insert(text, indexOf(text, closing, indexOf(text, opening)), `\n  ${row},`);
}

/** `text` with the row of the family `name` in a list, and its import. */
function withFamily(text, name, { exported = '', ...list }) {
  const imported = `${name}${exported}`;
  return withRow(withImport(text, name, imported), exported === '' ? name : `${name}: ${imported}`, list);
}

/** `text` with a section for the family after those of the other families. tools/docs.mjs fills the section. */
export function withSection(text, name) {
  const section = `## ${name}\n\n<!-- ${name}:begin -->\n<!-- ${name}:end -->\n\n`;
  return insert(text, indexOf(text, '## Published tables'), section);
}

/** `text` with a row appended to the table under `heading`. */
export function withTableRow(text, heading, row) {
  const table = indexOf(text, '\n|---', indexOf(text, heading));
  return insert(text, indexOf(text, '\n\n', table), `\n${row}`);
}

/** The new texts of all files that list families, by path. `read` returns the text of a path. */
export function familyRows(name, id, read) {
  const code = Object.entries(lists).map(([path, list]) => [path, withFamily(read(path), name, list)]);
  const format = read('docs/FORMAT.md').replace(/(\| family: 1 exact,.*?)( \|)$/m, `$1, ${id} ${name}$2`);
  return {
    ...Object.fromEntries(code),
    'docs/ALGORITHMS.md': withSection(read('docs/ALGORITHMS.md'), name),
    'docs/FORMAT.md': withTableRow(format, '## Cells of the families', `| ${name} | one entry a word, 0 is empty | |`),
    'docs/SECURITY.md': withTableRow(
      read('docs/SECURITY.md'),
      '## What each family withstands',
      `| \`${name}\` | a collision: arithmetic | one key of its slot | random evictions, in every slot alike |`,
    ),
  };
}

/** The number of a new family in snapshots: one more than the largest number in src/detectors/. */
export function nextId(texts) {
  return 1 + Math.max(...texts.flatMap((text) => [...text.matchAll(/^ {2}id: (\d+),$/gm)].map(([, id]) => Number(id))));
}
