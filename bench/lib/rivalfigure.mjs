// The figure of a question of the comparison with rivals: errors against memory.

import { plotSvg } from 'firstseen-lab';

/** In percent: lower rates rest on too few errors. */
const MIN_SHOWN = 0.0001;
/** Rivals that are drawn: those with the fewest errors in the middle one of the memories. */
const MAX_RIVALS = 4;
/** Of our families, those that are not only here as the best of a paper. */
const FAMILIES = ['bloom', 'qht', 'apbf', 'pocket', 'pocketwindow'];

const middleOf = (columns) => columns[Math.floor(columns.length / 2)];

/** The names of rows: the best rivals with the parameters of a search, and our families. */
function shownRows(columns) {
  const middle = middleOf(columns);
  const names = [...middle.keys()];
  const rivals = names
    .filter((name) => name.endsWith(', search') && middle.get(name).mean !== undefined)
    .sort((a, b) => middle.get(a).mean - middle.get(b).mean)
    .slice(0, MAX_RIVALS);
  const families = names.filter((name) => FAMILIES.some((family) => name.startsWith(`**${family},`)));
  return [...rivals, ...families];
}

/** @param {{question: object, sizes: object[], columns: Map<string, {mean?: number}>[]}} measured */
export function figureOf({ question, sizes, columns }) {
  const series = (row, name, role) => ({
    name,
    kind: 'line',
    ...(role ? { role } : {}),
    points: columns
      .map((column, i) => ({ x: sizes[i].memoryBits / 8, y: 100 * (column.get(row).mean ?? 0) }))
      .filter(({ y }) => y >= MIN_SHOWN),
  });
  const rows = shownRows(columns).map((row) => series(row, row.replaceAll('*', '').replace(/,.*/, '')));
  return plotSvg({
    id: question.figure,
    title: question.title,
    x: { label: 'memory', scale: 'log', isBytes: true },
    y: { label: question.title.startsWith('FPR +') ? 'FPR + FNR %' : 'FPR %', scale: 'log' },
    series: [...rows.filter(({ points }) => points.length > 0), series('limit', 'limit', 'limit')],
  });
}
