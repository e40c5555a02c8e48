// The tables of docs/HTTP.md, from the rows of the routes and of the problems.

const NAME = '{name}';

/** What a route takes besides its parameters. */
function bodyText({ body }) {
  if (body === undefined) return '';
  if (body.kind === 'options') return 'options, in JSON';
  if (body.kind === 'stream') return body.types.map((type) => `\`${type}\``).join(', ');
  const members = body.fields.map(({ name, isRequired }) => `\`${name}\`${isRequired ? '' : '?'}`);
  return `JSON: ${members.join(', ')}`;
}

function replyText({ replies }) {
  return Object.entries(replies)
    .map(([status, { help }]) => `${status}: ${help}`)
    .join('<br>');
}

/** A row for each route. */
export function routeTable(routes) {
  const rows = routes.map((route) => {
    const { method, path, summary, role } = route;
    const request = `\`${method} ${path.replace(NAME, 'NAME')}\``;
    return `| ${request} | ${role} | ${summary} | ${bodyText(route)} | ${replyText(route)} |`;
  });
  return ['| request | role | what it does | body | reply |', '|---|---|---|---|---|', ...rows].join('\n');
}

function parameterText({ words, default: value, help }) {
  const choice = words ? `: ${words.map((word) => `\`${word}\``).join(', ')}` : '';
  return `${help}${choice}${value === undefined ? '' : ` (default: \`${value}\`)`}`;
}

/** A row for each parameter, with the ends of the paths that take it. */
export function parameterTable(routes) {
  const taken = new Map();
  for (const { path, parameters = [] } of routes) {
    for (const row of parameters) {
      const paths = taken.get(row.name)?.paths ?? [];
      taken.set(row.name, { row, paths: [...paths, `\`${path.replace(NAME, 'NAME').replace('/detectors', '')}\``] });
    }
  }
  const rows = Array.from(taken, ([name, { row, paths }]) => {
    const shown = row.in === 'header' ? `header \`${name}\`` : `\`${name}\``;
    return `| ${shown} | ${paths.join(', ')} | ${parameterText(row)} |`;
  });
  return ['| parameter | of | meaning |', '|---|---|---|', ...rows].join('\n');
}

/** A row for each problem. */
export function problemTable(problems) {
  const rows = Object.entries(problems).map(
    ([code, { status, when, remedy }]) => `| \`${code}\` | ${status} | ${when} | ${remedy} |`,
  );
  return ['| code | status | when | what to do |', '|---|---|---|---|', ...rows].join('\n');
}
