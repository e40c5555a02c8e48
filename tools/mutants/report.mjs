// The report of a campaign, as Markdown.

const outcomes = ['killed', 'survived', 'unreached', 'invalid', 'open'];

/** A text in one cell of a table. */
function cell(text, most = 90) {
  const line = text.replace(/\s+/g, ' ');
  const short = line.length > most ? `${line.slice(0, most - 1)}…` : line;
  return short.replaceAll('|', '\\|');
}

function code(text) {
  return `\`${cell(text).replaceAll('`', "'")}\``;
}

function table(head, rows) {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function verdict({ outcome, by }) {
  if (outcome === 'unreached') return '**survived**: no test reaches it';
  if (outcome === 'survived') return '**survived**';
  if (outcome === 'invalid') return 'cannot be built';
  if (outcome === 'open') return 'not tried to the end';
  return by.file === '' ? by.name : `${by.file.replace('packages/', '')}: ${cell(by.name || 'the file', 70)}`;
}

/** How many mutants of each value of a property have each outcome. */
export function totals(results, property) {
  const values = [...new Set(results.map((result) => result[property]))].sort();
  const counted = (some) => outcomes.map((outcome) => some.filter((result) => result.outcome === outcome).length);
  return [
    ...values.map((value) => [value, ...counted(results.filter((result) => result[property] === value))]),
    ['all', ...counted(results)],
  ];
}

function totalsTable(results, property) {
  return table([property, ...outcomes], totals(results, property));
}

/**
 * @param head pairs of a name and a value, such as the date and the machine
 * @param leftOut tests that fail because of the switches: [{ file, name }]
 */
export function reportText(results, { head, leftOut }) {
  const rows = results.map((result, i) => [
    i + 1,
    result.id,
    `${result.file.replace('packages/', '')}:${result.line}`,
    result.kind,
    `${code(result.before)} → ${code(result.after)}`,
    verdict(result),
    Math.round(result.seconds),
  ]);
  const names = leftOut.map(({ file, name }) => `- ${file}${name === '' ? '' : `: ${cell(name, 200)}`}`);
  return `${[
    '# Mutants',
    'Written by `npm run mutants`: one place of the source is changed at a time, and the tests that reach it are run.',
    head.map(([name, value]) => `- ${name}: ${value}`).join('\n'),
    totalsTable(results, 'kind'),
    totalsTable(results, 'room'),
    table(['number', 'id', 'place', 'kind', 'mutation', 'found by', 'seconds'], rows),
    'Tests that are left out, because they fail with the switches of the mutants in the sources:',
    names.length > 0 ? names.join('\n') : 'none',
  ].join('\n\n')}\n`;
}

/** What a comparison of two campaigns prints. */
export function comparisonText({ compared, foundBefore, foundAfter, stillFound, lost, gained }) {
  const named = ({ id, file, line, before, after }) => `  ${id} ${file}:${line} ${cell(before)} → ${cell(after)}`;
  return [
    `${compared} mutants are in both results: ${foundBefore} found before, ${foundAfter} after`,
    `of those found before, ${stillFound} are found after`,
    ...(lost.length > 0 ? ['lost:', ...lost.map(named)] : []),
    ...(gained.length > 0 ? ['found only after:', ...gained.map(named)] : []),
  ].join('\n');
}
