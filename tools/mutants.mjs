// `npm run mutants -- --sample N --seed S`: changes one place of the sources at a time, runs the tests that reach it, and prints which changes
// no test finds.
//   --results FILE        where results are kept, one line each; a later run with the same file goes on (build/mutants.jsonl)
//   --report FILE         writes a report as Markdown
//   --form short|long     the form of the tests
//   --root FOLDER         measures the tests of another checkout
//   --work FOLDER         the folder of the copy in which mutants are built; by default one in the folder of temporary files
//   --only ID,ID          tries these mutants of the sample
//   --list                prints the sample and tries nothing
//   --show                tells the results so far and tries nothing
//   --compare A B         compares two files of results

import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir, totalmem } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readArguments } from './arguments.mjs';
import { sourceFiles } from './copytree.mjs';
import { isProductSource } from './kernelsources.mjs';
import { measureBaseline, readBaseline } from './mutants/baseline.mjs';
import { tryAll } from './mutants/campaign.mjs';
import { candidatesOf, digestOf } from './mutants/candidates.mjs';
import { digestOfFiles, prepareCopy } from './mutants/prepared.mjs';
import { comparisonText, reportText } from './mutants/report.mjs';
import { compareResults, readResults } from './mutants/results.mjs';
import { isOfKernel, sampleOf } from './mutants/sample.mjs';

const { values, positionals } = readArguments({
  allowPositionals: true,
  options: {
    sample: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
    form: { type: 'string', default: 'short' },
    root: { type: 'string', default: join(dirname(fileURLToPath(import.meta.url)), '..') },
    results: { type: 'string' },
    report: { type: 'string' },
    work: { type: 'string' },
    only: { type: 'string' },
    list: { type: 'boolean', default: false },
    show: { type: 'boolean', default: false },
    compare: { type: 'boolean', default: false },
  },
});

const SHOWN_CHARACTERS = 120;
const root = resolve(values.root);
const count = Number(values.sample);

function usage() {
  console.error(
    'usage: npm run mutants -- [--sample N] [--seed S] [--form short|long] [--root FOLDER] [--results FILE]',
  );
  console.error('         [--report FILE] [--work FOLDER] [--only ID,ID] [--list] [--show]; or --compare BEFORE AFTER');
  process.exit(2);
}

function sampleOfRoot() {
  const candidates = sourceFiles(root)
    .filter(isProductSource)
    .flatMap((path) => candidatesOf(path, readFileSync(join(root, path), 'utf8')));
  return sampleOf(candidates, { count, seed: values.seed });
}

function oneLine({ id, file, line, kind, before, after }) {
  const [short, changed] = [before, after].map((text) => text.replace(/\s+/g, ' ').slice(0, SHOWN_CHARACTERS));
  return `${id} ${kind} ${file}:${line} ${short} → ${changed}`;
}

function git(...args) {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
}

/** What a report tells about its run. */
function headOf(baseline) {
  const changes = git('status', '--porcelain') === '' ? '' : ' with changes';
  return [
    ['date', new Date().toISOString().slice(0, 10)],
    [
      'machine',
      `${cpus().length} × ${cpus()[0].model}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`,
    ],
    ['commit', `${git('rev-parse', '--short', 'HEAD')}${changes}`],
    ['sample', `${count} places, seed ${values.seed}`],
    ['tests', `the ${values.form} form, ${Object.keys(baseline.seconds).length} files`],
    ['tests of mutants in assembly', `the ${baseline.kernel.length} files whose run starts a kernel`],
  ];
}

/** A mutant of the sample that was not tried. */
function untried({ id, file, line, room, kind, before, after }) {
  return { id, file, line, room, kind, before, after, outcome: 'open', seconds: 0 };
}

function tell(results, baseline) {
  const leftOut = [...baseline.broken.map((file) => ({ file, name: '' })), ...baseline.failing];
  if (values.report !== undefined) {
    writeFileSync(resolve(values.report), reportText(results, { head: headOf(baseline), leftOut }));
  }
  const survivors = results.filter(({ outcome }) => outcome === 'survived' || outcome === 'unreached');
  console.log(`\n${survivors.length} of ${results.length} survive:`);
  for (const survivor of survivors) console.log(oneLine(survivor));
}

async function main() {
  const resultsFile = resolve(values.results ?? join(root, 'build/mutants.jsonl'));
  const baselineFile = `${resultsFile.replace(/\.jsonl$/, '')}.baseline.jsonl`;
  mkdirSync(dirname(resultsFile), { recursive: true });
  const work = resolve(values.work ?? join(tmpdir(), `firstseen-mutants-${digestOf(root).slice(0, 8)}`));
  const folder = join(work, 'tree');
  const sources = digestOfFiles(root);
  const mutants = sampleOfRoot();
  const ids = mutants.filter((mutant) => !isOfKernel(mutant)).map(({ id }) => id);
  if (values.show) {
    const results = readResults(resultsFile);
    const shown = mutants.map((mutant) => results.get(mutant.id) ?? untried(mutant));
    tell(shown, readBaseline(baselineFile, { ids, sources }));
    return;
  }
  const numbers = await prepareCopy({ root, work, folder, mutants, sources });
  const context = { root, work, folder, form: values.form, numbers, sources };
  const chosen = values.only === undefined ? mutants : mutants.filter(({ id }) => values.only.split(',').includes(id));
  const { results, baseline } = await tryAll(chosen, {
    ...context,
    resultsFile,
    measure: (isChosen) => measureBaseline({ ...context, file: baselineFile, ids, isChosen }),
    onResult: (result) => console.log(`${result.outcome} after ${result.seconds} s: ${oneLine(result)}`),
  });
  tell(results, baseline);
}

if (!['short', 'long'].includes(values.form) || !(Number.isSafeInteger(count) && count > 0)) usage();
if (values.compare) {
  if (positionals.length !== 2) usage();
  const [before, after] = positionals.map(readResults);
  console.log(comparisonText(compareResults(before, after)));
} else if (positionals.length > 0) {
  usage();
} else if (values.list) {
  for (const mutant of sampleOfRoot()) console.log(oneLine(mutant));
} else {
  await main();
}
