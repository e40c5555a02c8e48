// The parameters of rivals and of our families for each question of the comparison.

import { GapSample, plan } from 'firstseen/plan';
import { rivals } from 'firstseen-lab';
import { rivalStream, WINDOW_MILLISECONDS } from './rivalstreams.mjs';
import { fingerprintsOf } from './streams.mjs';

/** The seed of the stream on which parameters are searched. No measured stream has it. */
const SEARCH_SEED = 1000;
/** Rates do not change when memory, window and stream shrink together, so the search is done with a window of at most this size. */
const SEARCH_WINDOW = 2000;
/** Elements of a real stream on which parameters are searched. */
const SEARCH_ELEMENTS = 10_000;
/** The uniform stream of the comparison has as many distinct elements as 1.8 windows. */
const DISTINCT_WINDOWS = 1.8;
/** The windows that a search gives to a rival for a stream without one, as parts of the distance of its repeats. */
const WINDOW_PARTS = [1 / 16, 1 / 8, 1 / 4, 1 / 2, 1, 2];
/** Elements of a real stream come again after more than twice the window, which follows from how many are distinct. */
const MORE_PARTS = [4, 8, 16];
/** A search aims below the target by this factor, because its stream is short. */
const MARGIN = 0.95;
/** The part by which more elements come in a window when the options of families are chosen. */
const ROOM = 1.03;
/** Families of the papers that are best on some stream, and ours. */
const FAMILIES = ['bloom', 'rlbsbf', 'sqf', 'qht', 'apbf', 'pocket', 'pocketwindow'];
/** The lowest first: of targets without an error on the stream of the search, the first one is taken. */
const FPR_GRID = Array.from({ length: 32 }, (_, i) => 0.5 * 10 ** ((i - 31) / 6));

/** The window of a question, as a rival gets it. */
export function windowOf({ kind }, elements) {
  return kind === 'time'
    ? { unit: 'milliseconds', length: WINDOW_MILLISECONDS, mostElements: elements }
    : { unit: 'elements', length: elements, mostElements: elements };
}

/** The window of a real stream: its distinct elements get as much memory each as those of the uniform stream. */
export function windowFor({ distinct }) {
  return Math.max(8, Math.round(distinct / DISTINCT_WINDOWS));
}

/** The stream of a question. A real one is the same for all seeds. */
export function streamOf({ kind, source }, window, seed) {
  return kind === 'real' ? { kind, source } : { kind, window, seed };
}

function isWhole({ kind }) {
  return kind === 'elements' || kind === 'time';
}

/** Rivals that can answer a question. */
export function rivalsFor(question) {
  if (!isWhole(question)) return rivals;
  return rivals.filter((row) => row.wholeWindows.includes(question.kind === 'time' ? 'milliseconds' : 'elements'));
}

/** As the paper says: its parameters for the window of the question, or for the longest window that keeps to the target by its formula. */
export function publishedChoice(row, question, { memoryBits, window }) {
  const parts = isWhole(question) || question.maxFpr === undefined ? [1] : [...WINDOW_PARTS].reverse();
  for (const part of parts) {
    const request = { memoryBits, window: windowOf(question, Math.floor(part * window)) };
    const parameters = row.published(request);
    if (!parameters) continue;
    if (question.maxFpr === undefined || row.falsePositiveRate(parameters, request) <= question.maxFpr) {
      return { parameters, request };
    }
  }
  return undefined;
}

/** The parameters of the paper first, then the others that a search tries. */
function parametersFor(row, request) {
  return [row.published(request), ...row.candidates(request)];
}

/** All that a search tries: all parameters for every window. */
function choicesOf(row, question, { memoryBits, window }) {
  const moreParts = question.kind === 'real' ? MORE_PARTS : [];
  const parts = isWhole(question) ? [1] : [...WINDOW_PARTS, ...moreParts];
  return parts.flatMap((part) => {
    const request = { memoryBits, window: windowOf(question, Math.floor(part * window)) };
    const choices = parametersFor(row, request).map((parameters, i) => ({ parameters, request, part, i }));
    return choices.filter(({ parameters }) => parameters !== undefined);
  });
}

/** The same choice for the memory that is measured: the parameters at the same place, where some are. */
function enlarged({ parameters, part, i }, row, question, { memoryBits, window }) {
  const request = { memoryBits, window: windowOf(question, Math.floor(part * window)) };
  const possible = parametersFor(row, request);
  if (possible.every((each) => each === undefined)) return undefined;
  return { parameters: possible[i] ?? parameters, request };
}

/** The error of a question: the sum of both rates, the misses, or the false positives. */
export function errorOf(question, { fpr, fnr }) {
  if (isWhole(question)) return fpr;
  return question.maxFpr === undefined ? fpr + fnr : fnr;
}

function isAllowed(question, { fpr, fnr }) {
  if (isWhole(question)) return fnr === 0;
  return question.maxFpr === undefined || fpr <= MARGIN * question.maxFpr;
}

/** The choice with the least error of those that the question allows. */
function bestOf(question, tried) {
  const allowed = tried.filter(({ rates }) => rates && isAllowed(question, rates));
  return allowed.reduce((best, next) => (!best || next.error < best.error ? next : best), undefined);
}

/** The stream of a search and its size: a shorter window, or the beginning of a real stream. */
function searchedStream(question, { memoryBits, window }) {
  if (question.kind === 'real') {
    const stream = { ...streamOf(question), count: SEARCH_ELEMENTS };
    const shorter = windowFor(rivalStream(stream));
    return { stream, small: { memoryBits: Math.floor((memoryBits * shorter) / window), window: shorter } };
  }
  const shorter = Math.min(SEARCH_WINDOW, Math.floor(window / 4));
  const small = { memoryBits: Math.floor((memoryBits * shorter) / window), window: shorter };
  return { stream: streamOf(question, shorter, SEARCH_SEED), small };
}

/** The rates of all choices on a smaller stream. */
async function searchRates(question, { stream, small }, pool) {
  const tried = rivalsFor(question).flatMap((row) =>
    choicesOf(row, question, small).map((choice) => ({ row, choice })),
  );
  const tasks = tried.map(({ row, choice: { parameters, request } }) => ({
    ...{ name: row.name, parameters, request },
    ...{ stream, seed: SEARCH_SEED },
  }));
  const rates = await pool.runAll(tasks);
  return tried.map((each, i) => ({ ...each, rates: rates[i] }));
}

/** The number of sets of parameters that a search tries for each rival. */
export function searchLengths(question, size) {
  const { small } = searchedStream(question, size);
  return Object.fromEntries(rivalsFor(question).map((row) => [row.name, choicesOf(row, question, small).length]));
}

/** The best choice for each rival. False positives of a window are those of the formula: a small stream has too few. */
export async function searchedChoices(question, size, pool) {
  const searched = searchedStream(question, size);
  const { small } = searched;
  const tried = await searchRates(question, searched, pool);
  return rivalsFor(question).map((row) => {
    const choices = tried
      .filter((each) => each.row === row && each.rates.memoryBits <= small.memoryBits)
      .map(({ choice, rates }) => ({ rates, choice: enlarged(choice, row, question, size) }))
      .filter(({ choice }) => choice !== undefined);
    const errorFor = ({ choice: { parameters, request }, rates }) =>
      isWhole(question) ? row.falsePositiveRate(parameters, request) : errorOf(question, rates);
    return bestOf(
      question,
      choices.map((each) => ({ ...each, error: errorFor(each) })),
    )?.choice;
  });
}

/** Options of the families with a whole window: targets, and rings of apbf for fewer bits than any target has. */
function windowOptions({ kind }, { memoryBits, window }) {
  const memory = Math.floor(memoryBits / 8);
  const whole = kind === 'elements' ? { window } : {};
  const targets = FPR_GRID.flatMap((fpr) =>
    [
      ['apbf', 'classic'],
      ['apbf', 'blocked'],
      ['pocketwindow', 'blocked'],
    ].map(([algorithm, layout]) => ({ algorithm, layout, memory, fpr, parameters: { refresh: 'yes' }, ...whole })),
  );
  if (kind === 'time') return targets;
  const rings = [1, 2, 3, 4, 5, 6].flatMap((k) =>
    [2, 3, 4, 6, 9, 13, 20].map((l) => ({ k, l, g: Math.ceil(window / l), refresh: 'yes' })),
  );
  return [...targets, ...rings.map((parameters) => ({ algorithm: 'apbf', layout: 'classic', memory, parameters }))];
}

/**
 * The best options of our families with a window, by a run over one stream. A window in time gets a few elements more, so
 * that the choice holds for other streams too.
 */
async function windowChoices(question, size, pool) {
  const window = question.kind === 'time' ? Math.ceil(ROOM * size.window) : size.window;
  const stream = { kind: question.kind, window, seed: SEARCH_SEED };
  const options = windowOptions(question, size);
  const rates = await pool.runAll(options.map((each) => ({ options: each, stream, seed: SEARCH_SEED })));
  const tried = options.map((each, i) => ({ options: each, rates: rates[i], error: rates[i]?.fpr }));
  return ['apbf', 'pocketwindow'].map((algorithm) => ({
    algorithm,
    options: bestOf(
      question,
      tried.filter((each) => each.options.algorithm === algorithm),
    )?.options,
  }));
}

/** The options of our families, and the limit of all structures. */
export async function familyChoices(question, size, pool) {
  if (isWhole(question)) {
    return {
      families: await windowChoices(question, size, pool),
      how: 'search',
      limit: 2 ** (-size.memoryBits / size.window),
    };
  }
  const memory = Math.floor(size.memoryBits / 8);
  const sample = new GapSample();
  const { numbers } = rivalStream(streamOf(question, size.window, SEARCH_SEED));
  sample.addBatch(fingerprintsOf(numbers));
  const advice = await plan({ memory, fpr: question.maxFpr ?? 0.5, stream: sample.stream('the stream') });
  const families = FAMILIES.map((algorithm) => {
    const { layout, parameters } = advice.families.find((each) => each.algorithm === algorithm);
    return { algorithm, options: { algorithm, layout, memory, parameters } };
  });
  return { families, how: 'plan', limit: errorOf(question, advice.limit) };
}
