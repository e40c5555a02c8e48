// The table: for ranges of lines of each source file, the units of tests that reach them. A unit is a test file, or a suite at the top
// of one that takes long.

/** Consecutive numbers as differences, in base 36, so that sets of units are short texts. */
function setText(numbers) {
  let last = -1;
  return [...numbers]
    .sort((a, b) => a - b)
    .map((number) => {
      const difference = number - last;
      last = number;
      return difference.toString(36);
    })
    .join(' ');
}

function readSet(text) {
  let last = -1;
  if (text === '') return [];
  return text.split(' ').map((difference) => {
    last += Number.parseInt(difference, 36);
    return last;
  });
}

/** For each line of a file, the innermost point that covers it. */
function pointsOfLines(points) {
  const lines = new Array(1 + Math.max(...points.map(({ end }) => end)));
  const outermostFirst = [...points].sort((a, b) => b.end - b.start - (a.end - a.start));
  for (const { index, start, end } of outermostFirst) lines.fill(index, start, end + 1);
  return lines;
}

/** The lines of a file as ranges with equal sets: [first line, last line, number of the set]. */
function rangesOf(lines, setOf) {
  const ranges = [];
  for (const [line, point] of lines.entries()) {
    if (point === undefined) continue;
    const set = setOf(point);
    const last = ranges.at(-1);
    if (last && last[1] === line - 1 && last[2] === set) last[1] = line;
    else ranges.push([line, line, set]);
  }
  return ranges;
}

/**
 * @param recording `points` with their path and lines, `units` with their file, suite and points, `isWhole` of a test file, `seconds` of
 * test files
 */
export function tableOf({ commit, points, units, isWhole, seconds }) {
  const names = [];
  const numbers = new Map();
  const unitsOfPoints = points.map(() => new Set());
  for (const { file, suite, points: reached } of units) {
    const name = isWhole(file) || suite === '' ? file : `${file}#${suite}`;
    if (!numbers.has(name)) numbers.set(name, names.push(name) - 1);
    for (const point of reached) unitsOfPoints[point]?.add(numbers.get(name));
  }
  const sets = [];
  const setNumbers = new Map();
  const setOf = (point) => {
    const text = setText(unitsOfPoints[point]);
    if (!setNumbers.has(text)) setNumbers.set(text, sets.push(text) - 1);
    return setNumbers.get(text);
  };
  const pointsByPath = new Map();
  for (const [index, { path, start, end }] of points.entries()) {
    if (!pointsByPath.has(path)) pointsByPath.set(path, []);
    pointsByPath.get(path).push({ index, start, end });
  }
  const files = {};
  for (const [path, pointsOfFile] of pointsByPath) files[path] = rangesOf(pointsOfLines(pointsOfFile), setOf);
  return { commit, seconds: Object.fromEntries(seconds), units: names, sets, files };
}

function unitsOfSet({ sets, units }, set) {
  return readSet(sets[set]).map((number) => units[number]);
}

/** The names of the units that reach a line; undefined if the line is in no function. */
export function unitsAt(table, path, line) {
  const range = table.files[path]?.find(([first, last]) => first <= line && line <= last);
  return range && unitsOfSet(table, range[2]);
}

/** The names of the units that reach any line of a file. */
export function unitsOf(table, path) {
  return (table.files[path] ?? []).flatMap(([, , set]) => unitsOfSet(table, set));
}

/** For each unit, the number of lines of the sources that it reaches. One that reaches few is about them. */
export function reachOf({ files, sets, units }) {
  const numbers = sets.map(readSet);
  const reach = new Array(units.length).fill(0);
  for (const [first, last, set] of Object.values(files).flat()) {
    for (const number of numbers[set]) reach[number] += last - first + 1;
  }
  return new Map(units.map((unit, i) => [unit, reach[i]]));
}

/** The seconds of each unit when the table was made. Those of a file are shared by its suites. */
export function secondsOf({ seconds, units }) {
  const fileOf = (unit) => unit.replace(/#.*$/s, '');
  const suites = new Map();
  for (const unit of units) suites.set(fileOf(unit), (suites.get(fileOf(unit)) ?? 0) + 1);
  return new Map(units.map((unit) => [unit, (seconds[fileOf(unit)] ?? 0) / suites.get(fileOf(unit))]));
}

/**
 * Units by test file, as the runner takes them: the names of the chosen suites, or null for the whole file. What all suites of a file
 * have in common, such as its preparation, reaches most lines, so that it counts only where no suite does.
 */
export function selectionOf(units) {
  const suitesOf = new Map();
  for (const unit of units) {
    const [file, suite] = unit.includes('#') ? splitAt(unit, unit.indexOf('#')) : [unit, undefined];
    if (!suitesOf.has(file)) suitesOf.set(file, new Set());
    if (suite !== undefined) suitesOf.get(file).add(suite);
  }
  return Object.fromEntries([...suitesOf].map(([file, suites]) => [file, suites.size === 0 ? null : [...suites]]));
}

function splitAt(text, index) {
  return [text.slice(0, index), text.slice(index + 1)];
}

/** The text of a table, with a line for each file and each set, so that a new table differs from the old one where the tests differ. */
export function tableText({ files, sets, units, ...rest }) {
  const list = (rows) => `[\n${rows.map((row) => JSON.stringify(row)).join(',\n')}\n]`;
  const rows = Object.entries(files).map(([path, ranges]) => `${JSON.stringify(path)}: ${JSON.stringify(ranges)}`);
  const head = JSON.stringify(rest).slice(0, -1);
  return `${head},\n"units": ${list(units)},\n"sets": ${list(sets)},\n"files": {\n${rows.join(',\n')}\n}}\n`;
}
