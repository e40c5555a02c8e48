// All routes, and which one a request means.

import { openApiOf } from './openapi.js';
import { HttpProblem } from './problem.js';
import type { Route } from './route.js';
import { claimRoutes } from './routes/claims.js';
import { detectorRoutes } from './routes/detectors.js';
import { pageRoutes } from './routes/page.js';
import { planRoutes } from './routes/plan.js';
import { recordRoutes } from './routes/records.js';
import { serverRoutes } from './routes/server.js';
import { snapshotRoutes } from './routes/snapshots.js';

const openApiRoute: Route = {
  method: 'GET',
  path: '/openapi.json',
  summary: 'describes these routes as OpenAPI 3.1',
  role: 'none',
  isAlways: true,
  replies: { 200: { help: 'the description' } },
  run: (_request, { server: { version } }) => ({ status: 200, body: openApiOf(routes, version) }),
};

export const routes: readonly Route[] = [
  openApiRoute,
  ...serverRoutes,
  ...detectorRoutes,
  ...snapshotRoutes,
  ...recordRoutes,
  ...claimRoutes,
  ...planRoutes,
  ...pageRoutes,
];

/** The parts of a path: words, or `{name}`. */
const partsOf = new Map(routes.map(({ path }) => [path, path.slice(1).split('/')]));

const NAME = '{name}';

function nameIn(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new HttpProblem('E_REQUEST', `the path has ${part}, which is not a name in UTF-8 with percent signs`);
  }
}

/** The parts that a path gives to that of a route; undefined if it is another path. */
function match(route: Route, segments: readonly string[]): string | undefined {
  const parts = partsOf.get(route.path) as readonly string[];
  const isSame = parts.length === segments.length && parts.every((part, i) => part === NAME || part === segments[i]);
  return isSame ? (segments[parts.indexOf(NAME)] ?? '') : undefined;
}

function methodsOf({ method }: Route): readonly string[] {
  return method === 'GET' ? ['GET', 'HEAD'] : [method];
}

/** @throws HttpProblem E_NOT_FOUND for another path, E_METHOD for another method */
export function routeOf(method: string, path: string): { route: Route; name: string } {
  const segments = path.slice(1).split('/');
  const matches = routes.flatMap((route) => {
    const name = match(route, segments);
    return name === undefined ? [] : [{ route, name }];
  });
  const [first] = matches;
  if (first === undefined) throw new HttpProblem('E_NOT_FOUND', `there is no path ${path}; /openapi.json lists them`);
  const meant = matches.find(({ route }) => methodsOf(route).includes(method));
  if (meant) return { route: meant.route, name: nameIn(meant.name) };
  const methods = matches.flatMap(({ route }) => methodsOf(route)).join(', ');
  throw new HttpProblem('E_METHOD', `${path} has no method ${method}; use ${methods}`, { Allow: methods });
}
