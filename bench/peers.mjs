// Keys of a JavaScript program, one by one: this library compared with what such programs usually use, in speed, errors
// and memory.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { median } from '../tools/support/median.mjs';
import { firstseen, runMeasuringMemory } from './lib/commands.mjs';
import { lruEntries } from './lib/contenders.mjs';
import { DUPLICATE_SHARE, url, writeRepeatingLines } from './lib/data.mjs';
import { medianSpeedRatio, takeTurns } from './lib/rounds.mjs';
import { row } from './lib/table.mjs';

const FPR = 0.001;
const NEAR = { share: 0.5, elements: 1000 };

const judgePath = fileURLToPath(new URL('./lib/judge.mjs', import.meta.url));

/** Exact versions, because a comparison with a peer is worthless without them. */
const { devDependencies } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

/** The verdicts of the command, which writes one word per line, as bytes. */
function wordsToVerdicts(path) {
  const words = readFileSync(path, 'latin1').trimEnd().split('\n');
  return Uint8Array.from(words, (word) => (word === 'duplicate' ? 1 : 0));
}

/** Both error rates in percent. */
function errorRates(truths, verdicts) {
  if (verdicts.length !== truths.length) {
    throw new Error(`${verdicts.length} verdicts were given for ${truths.length} keys`);
  }
  let [repeats, falsePositives, falseNegatives] = [0, 0, 0];
  for (let i = 0; i < truths.length; i++) {
    repeats += truths[i];
    if (verdicts[i] > truths[i]) falsePositives++;
    if (verdicts[i] < truths[i]) falseNegatives++;
  }
  return { fpr: (100 * falsePositives) / (truths.length - repeats), fnr: (100 * falseNegatives) / repeats };
}

/** A contender that the driver runs. A turn returns its seconds, its peak memory in bytes and its verdicts. */
function driven(contender, { linesPath, folder, scale }) {
  const output = join(folder, 'output');
  const verdictsPath = join(folder, 'verdicts');
  const args = [judgePath, contender, linesPath, verdictsPath, JSON.stringify(scale)];
  return () => {
    const { peakBytes } = runMeasuringMemory({ command: process.execPath, args }, output);
    return { seconds: Number(readFileSync(output, 'utf8')), peakBytes, verdicts: readFileSync(verdictsPath) };
  };
}

/** The command, from start to end. */
function commanded({ linesPath, folder, scale: { memoryBytes, fpr } }) {
  const output = join(folder, 'output');
  const detector = ['--algorithm', 'bloom', '--memory', String(memoryBytes), '--fpr', String(fpr)];
  const program = firstseen(...detector, '--emit', 'verdicts', linesPath);
  return () => ({ ...runMeasuringMemory(program, output), verdicts: wordsToVerdicts(output) });
}

const OURS = 'firstseen, observe(key)';

function namedRuns(options) {
  return {
    [OURS]: driven('observe', options),
    'firstseen, observeBatch(fingerprints)': driven('observeBatch', options),
    'firstseen, the command, start to end': commanded(options),
    Set: driven('set', options),
    [`lru-cache, ${lruEntries(options.scale)} entries`]: driven('lru', options),
    'bloom-filters, BloomFilter': driven('bloomFilters', options),
    'none: only what drives the others': driven('nothing', options),
  };
}

/** All measurements of all rounds, by name. */
function measureRuns(runs, truths, rounds) {
  const peaks = Object.fromEntries(Object.keys(runs).map((name) => [name, []]));
  const rates = {};
  const turns = Object.entries(runs).map(([name, run]) => ({
    name,
    turn: () => {
      const { seconds, peakBytes, verdicts } = run();
      peaks[name].push(peakBytes);
      // The same in every round: everything random has a fixed seed.
      rates[name] ??= errorRates(truths, verdicts);
      return seconds;
    },
  }));
  return { seconds: takeTurns(turns, rounds), peaks, rates };
}

/** @returns {Promise<import('./lib/table.mjs').Section>} */
export async function measurePeers({ isQuick, folder }) {
  const { count, rounds } = isQuick ? { count: 5_000, rounds: 1 } : { count: 1_000_000, rounds: 3 };
  const linesPath = join(folder, 'keys.txt');
  const truths = writeRepeatingLines(linesPath, { count, line: url, near: NEAR });
  const distinctElements = truths.reduce((distinct, isRepeat) => distinct + 1 - isRepeat, 0);
  // The size of an optimal Bloom filter (deng-2006, section 2.3), as bloom-filters computes it.
  const memoryBytes = Math.ceil((distinctElements * -Math.log(FPR)) / Math.LN2 ** 2 / 8);
  const runs = namedRuns({ linesPath, folder, scale: { distinctElements, fpr: FPR, memoryBytes } });
  const { seconds, peaks, rates } = measureRuns(runs, truths, rounds);
  return {
    title: 'Peers in JavaScript',
    text:
      `${count} keys, URLs of about 48 bytes, ${distinctElements} of them distinct. Of the ${DUPLICATE_SHARE * 100} % that are repeats, ` +
      `${NEAR.share * 100} % repeat one of the last ${NEAR.elements} keys, the others any earlier key. Filters of ${memoryBytes} ` +
      `bytes for an FPR of ${FPR * 100} %. Medians of ${rounds} rounds; lru-cache ${devDependencies['lru-cache']}, bloom-filters ` +
      `${devDependencies['bloom-filters']}.`,
    rows: Object.keys(runs).map((name) =>
      row({
        name,
        measured: count / median(seconds[name]) / 1e6,
        unit: 'M elements/s',
        ...(name === OURS
          ? {}
          : { compared: { to: 'of observe(key)', value: medianSpeedRatio(seconds[name], seconds[OURS]) } }),
        beside: {
          'FPR, %': rates[name].fpr,
          'FNR, %': rates[name].fnr,
          'peak, MiB': median(peaks[name]) / 2 ** 20,
        },
      }),
    ),
  };
}
