// The series that a service tells a monitor, and what alerts, dashboards and docs ask for.

/** What Prometheus adds to each series. */
export const ADDED_LABELS: readonly string[] = ['instance', 'job'];

export interface Series {
  name: string;
  labels: Record<string, string>;
}

type Selector = [label: string, operator: string, value: string];

function labelsIn(text: string): Selector[] {
  return Array.from(text.matchAll(/(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"/g), ([, label, operator, value]) => [
    label as string,
    operator as string,
    value as string,
  ]);
}

/** The series in the text that Prometheus reads. */
export function seriesIn(text: string): Series[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name = '', labels = ''] = /^(\w+)(?:\{(.*)\})? /.exec(line) ?? [];
      return { name, labels: Object.fromEntries(labelsIn(labels).map(([label, , value]) => [label, value])) };
    });
}

/** Whether a series has the labels that a selector asks for. A variable of a dashboard is any value. */
function matches({ labels }: Series, wanted: readonly Selector[]): boolean {
  return wanted.every(([label, operator, value]) => {
    if (ADDED_LABELS.includes(label)) return true;
    const own = labels[label];
    if (own === undefined) return false;
    if (operator === '=') return own === value;
    if (operator === '!=') return own !== value;
    return value.startsWith('$') || new RegExp(`^(?:${value})$`).test(own);
  });
}

/** The names of the metrics in an expression. */
export function namesIn(expression: string): string[] {
  return Array.from(expression.matchAll(/\b((?:firstseen|process)_\w+)\b/g), ([name]) => name);
}

/** The selectors of an expression that no series of a service answers. */
export function unanswered(told: readonly Series[], expression: string): string[] {
  const selectors = expression.matchAll(/\b((?:firstseen|process)_\w+)\b(\{[^}]*\})?/g);
  return Array.from(selectors)
    .filter(
      ([, name, labels = '']) => !told.some((series) => series.name === name && matches(series, labelsIn(labels))),
    )
    .map(([selector]) => selector);
}

/** The labels of the metrics that an expression names. */
export function labelsOf(told: readonly Series[], expression: string): Set<string> {
  const names = namesIn(expression);
  return new Set(told.filter(({ name }) => names.includes(name)).flatMap(({ labels }) => Object.keys(labels)));
}

/** The labels by which an expression groups or joins, and which are none of the metrics that it names. */
export function unknownLabels(told: readonly Series[], expression: string): string[] {
  const known = labelsOf(told, expression);
  const used = Array.from(expression.matchAll(/\b(?:by|ignoring|on|without)\s*\(([^)]*)\)/g), ([, list = '']) => list);
  return used
    .flatMap((list) => list.split(',').map((label) => label.trim()))
    .filter((label) => !known.has(label) && !ADDED_LABELS.includes(label));
}

/** The metrics of a page, each with the labels that it has where it comes first. */
export function documentedIn(text: string): Map<string, readonly string[]> {
  const documented = new Map<string, readonly string[]>();
  for (const [, name = '', labels] of text.matchAll(/`((?:firstseen|process)_\w+)(?:\{([\w,]+)\})?`/g)) {
    if (!documented.has(name)) documented.set(name, labels?.split(',') ?? []);
  }
  return documented;
}
