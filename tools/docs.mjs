// Updates the generated parts of the docs, which are between markers, and the pages of docs/reference, from the last build.
// `node tools/docs.mjs` writes them, and `--check` only compares them, as the tests do. Writing also updates the help in docs/command
// and the expected outputs of cases that list all families. Separate tests check those.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { errorCodes } from 'firstseen/errors';
import { exitCodeOf, exitCodes, nearPlanText, optionFacts, planNear } from 'firstseen/internal';
import { families, plan, planText } from 'firstseen/plan';
import { rivals, streamKinds } from 'firstseen-lab';
import { readArguments } from './arguments.mjs';
import { commandTable, mappedTable } from './docs/commands.mjs';
import { parameterTable, problemTable, routeTable } from './docs/http.mjs';
import { agreementTable, optionTable } from './docs/options.mjs';
import { formTable, kindTable } from './docs/pipe.mjs';
import { commandHelp, familyCases } from './docs/printed.mjs';
import { referencePages } from './docs/reference.mjs';
import { exportsOfSource } from './docs/source.mjs';
import { replaceBetween } from './markers.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

function guaranteeText(guarantee) {
  if (guarantee.kind === 'never') return 'never';
  if (guarantee.kind === 'bounded') return `bounded: \`${guarantee.bound}\` (${guarantee.source})`;
  return `depend on the data: ${guarantee.why}`;
}

function parameterRow({ letter, name, description, words, derived }) {
  const choice = words ? `: ${words.map((word) => `\`${word}\``).join(', ')}` : '';
  return `| \`${letter}\` | \`${name}\` | ${description}${choice} | ${derived ? 'derived' : 'may be given'} |`;
}

function familyText(family) {
  return [
    `**${family.title}** (${family.source}). ${family.rule}`,
    '',
    `- False positives: ${guaranteeText(family.falsePositives)}.`,
    `- False negatives: ${guaranteeText(family.falseNegatives)}.`,
    `- Layouts: ${family.layouts.map((layout) => (layout === family.layout ? `\`${layout}\` (default)` : `\`${layout}\``)).join(', ')}.`,
    '',
    '| letter | name | meaning | |',
    '|---|---|---|---|',
    ...family.parameters.map(parameterRow),
  ].join('\n');
}

const errorText = [
  '| code | when | what to do | exit code |',
  '|---|---|---|---|',
  ...Object.entries(errorCodes).map(
    ([code, { when, remedy }]) => `| \`${code}\` | ${when} | ${remedy} | ${exitCodeOf(code)} |`,
  ),
].join('\n');

const exitText = [
  '| exit code | meaning |',
  '|---|---|',
  ...Object.values(exitCodes).map(({ code, meaning }) => `| ${code} | ${meaning} |`),
].join('\n');

function printed(text) {
  return ['', '```text', text.trimEnd(), '```', ''].join('\n');
}

async function planBlock(options, command) {
  return printed(planText(await plan(options), () => command));
}

const plans = {
  'plan-unknown': await planBlock({ memory: '64MiB', fpr: 1e-4 }, 'firstseen --memory 64MiB --fpr 0.0001'),
  'plan-uniform': await planBlock(
    { memory: '256KiB', fpr: 0.3, distinctElements: 6e5, lengthElements: 1e6 },
    'firstseen --memory 256KiB --fpr 0.3 --expect-distinct 600000 --expect-length 1000000',
  ),
};

function streamRow({ name, rule, settings }) {
  const listed = settings.map((setting) => `\`${setting.name}\`: ${setting.description}`).join('<br>');
  return `| ${name} | ${rule} | ${listed} |`;
}

const streamsText = ['| stream | elements | settings |', '|---|---|---|', ...streamKinds.map(streamRow)].join('\n');

function rivalRow({ name, paper: { authors, title, venue, year, source }, wholeWindows }) {
  const windows = wholeWindows.length === 0 ? 'none' : wholeWindows.join(', ');
  return `| ${name} | ${authors}: ${title}. ${venue}, ${year} | ${windows} | ${source} |`;
}

const rivalsText = [
  '| name | paper | windows without misses | what was read |',
  '|---|---|---|---|',
  ...rivals.map(rivalRow),
].join('\n');

const { claimRows, commandRows, detectorRows, keyForms, kindRows, problemRows, routes } = await exportsOfSource(`
  export { claimRows } from './serve/commands/claims.js';
  export { detectorRows } from './serve/commands/detectors.js';
  export { commandRows } from './serve/commands/registry.js';
  export { problemRows } from './serve/http/problem.js';
  export { routes } from './serve/http/routes.js';
  export { keyForms } from './pipe/keys.js';
  export { kindRows } from './pipe/registry.js';
`);

const ownRows = [...detectorRows, ...claimRows];

const texts = {
  'docs/ALGORITHMS.md': {
    ...Object.fromEntries(families.map((family) => [family.name, familyText(family)])),
    structures: rivalsText,
  },
  'docs/command/state.md': { agreement: agreementTable(optionFacts('exact')) },
  'docs/ERRORS.md': { errors: errorText, exits: exitText },
  'docs/HTTP.md': {
    routes: routeTable(routes),
    parameters: parameterTable(routes),
    problems: problemTable(problemRows),
  },
  'docs/LAB.md': { streams: streamsText },
  'docs/NEAR.md': { 'plan-near': printed(nearPlanText(planNear({ distinctDocuments: 250_000, shingles: 100 }))) },
  'docs/PIPE.md': { kinds: kindTable(kindRows), forms: formTable(keyForms) },
  'docs/PLANNING.md': plans,
  'docs/RUN-FILES.md': { 'run-options': optionTable(optionFacts('exact')) },
  'docs/SERVER.md': {
    'detector-commands': commandTable(detectorRows),
    'claim-commands': commandTable(claimRows),
    'key-commands': mappedTable(commandRows),
    'tool-commands': commandTable(commandRows.filter((row) => !ownRows.includes(row))),
  },
};

function write(path, text) {
  const file = join(root, path);
  if (!existsSync(file) || readFileSync(file, 'utf8') !== text) writeFileSync(file, text);
}

const pages = Object.entries(texts).map(([path, sections]) => {
  const before = readFileSync(join(root, path), 'utf8');
  return [
    path,
    Object.entries(sections).reduce((text, [name, section]) => replaceBetween(text, name, section), before),
  ];
});

const { check: isCheck } = readArguments({ options: { check: { type: 'boolean' } } }).values;
for (const [path, text] of [...pages, ...Object.entries(referencePages(root))]) {
  if (!isCheck) write(path, text);
  else if (readFileSync(join(root, path), 'utf8') !== text) {
    console.error(`${path} is out of date; run: npm run build && node tools/docs.mjs`);
    process.exitCode = 1;
  }
}
if (!isCheck) {
  const printed = {
    ...commandHelp(root),
    ...(await familyCases(
      root,
      families.map(({ name }) => name),
    )),
  };
  for (const [path, text] of Object.entries(printed)) write(path, text);
}
