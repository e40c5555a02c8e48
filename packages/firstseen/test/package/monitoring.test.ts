// The files of deploy/ for a monitor: what they ask for is what the server tells.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { longFlag } from '../../src/options/longflag.js';
import { serveRows } from '../../src/options/serve.js';
import { Client } from '../serve/support/client.js';
import { dataIn } from '../serve/support/folder.js';
import { ask, withHttp } from '../serve/support/http.js';
import { repositoryFolder } from '../support/folders.js';
import { documentsIn } from '../support/yaml.js';

const pathOf = (name: string) => join(repositoryFolder, 'deploy', name);
const textOf = (name: string) => readFileSync(pathOf(name), 'utf8');

/** What Prometheus adds to each series. */
const ADDED_LABELS = ['instance', 'job'];

interface Series {
  name: string;
  labels: Record<string, string>;
}

function labelsIn(text: string): [label: string, operator: string, value: string][] {
  return Array.from(text.matchAll(/(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"/g), ([, label, operator, value]) => [
    label as string,
    operator as string,
    value as string,
  ]);
}

/** What a server tells that has used all that it has metrics for. */
let told: Series[];
const folder = mkdtempSync(join(tmpdir(), 'firstseen-monitoring-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

beforeAll(() =>
  withHttp(
    async (port, server) => {
      const client = await Client.open(server.port);
      const commands = [
        'FS.CREATE forgets algorithm qht memory 16KiB expect-distinct 100000 witness 32KiB',
        'FS.CREATE window algorithm pocketwindow window 1d memory 64KiB',
        'FS.CREATE exact algorithm exact memory 8KiB witness 32KiB',
        'BF.RESERVE filter 0.01 10',
        'BF.RESERVE full 0.01 1 NONSCALING',
        'BF.ADD full a',
        'FS.CREATE claims claims memory 64KiB',
        'FS.OBSERVE forgets a b a',
        'FS.OBSERVE exact a b a',
        'FS.CLAIM claims a',
        'FS.SAVE',
      ];
      for (const command of commands) expect(await client.send(...command.split(' '))).not.toBeInstanceOf(Error);
      const refused = await ask(port, 'POST', '/detectors/full/observe', { type: 'text/plain', body: 'b\n' });
      expect(refused.status).toBe(507);
      const { text } = await ask(port, 'GET', '/metrics');
      // The second time, the first request was counted.
      const again = (await ask(port, 'GET', '/metrics')).text;
      expect(again.length).toBeGreaterThan(text.length);
      told = again
        .split('\n')
        .filter((line) => line !== '' && !line.startsWith('#'))
        .map((line) => {
          const [, name = '', labels = ''] = /^(\w+)(?:\{(.*)\})? /.exec(line) ?? [];
          return { name, labels: Object.fromEntries(labelsIn(labels).map(([label, , value]) => [label, value])) };
        });
      client.close();
    },
    { data: dataIn(folder, { durability: 'always' }) },
  ),
);

/** Whether a series has the labels that a selector asks for. A variable of a dashboard is any value. */
function matches({ labels }: Series, wanted: ReturnType<typeof labelsIn>): boolean {
  return wanted.every(([label, operator, value]) => {
    if (ADDED_LABELS.includes(label)) return true;
    const own = labels[label];
    if (own === undefined) return false;
    if (operator === '=') return own === value;
    if (operator === '!=') return own !== value;
    return value.startsWith('$') || new RegExp(`^(?:${value})$`).test(own);
  });
}

/** The selectors of an expression that no series of the server answers. */
function unanswered(expression: string): string[] {
  const selectors = expression.matchAll(/\b((?:firstseen|process)_\w+)\b(\{[^}]*\})?/g);
  return Array.from(selectors)
    .filter(
      ([, name, labels = '']) => !told.some((series) => series.name === name && matches(series, labelsIn(labels))),
    )
    .map(([selector]) => selector);
}

/** The labels by which an expression groups or joins, and which are none of the metrics that it names. */
function unknownLabels(expression: string): string[] {
  const names = Array.from(expression.matchAll(/\b((?:firstseen|process)_\w+)\b/g), ([name]) => name);
  const known = new Set(told.filter(({ name }) => names.includes(name)).flatMap(({ labels }) => Object.keys(labels)));
  const used = Array.from(expression.matchAll(/\b(?:by|ignoring|on|without)\s*\(([^)]*)\)/g), ([, list = '']) => list);
  return used
    .flatMap((list) => list.split(',').map((label) => label.trim()))
    .filter((label) => !known.has(label) && !ADDED_LABELS.includes(label));
}

interface Rule {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary: string };
}

const rulesFile = documentsIn(textOf('alerts.yaml'));

describe.skipIf(rulesFile === undefined)('the rules of alerts', () => {
  const [file] = (rulesFile ?? []) as [{ groups: { name: string; rules: Rule[] }[] }];
  const rules = (file?.groups ?? []).flatMap((group) => group.rules);

  test('there are some, each with a name of its own, a severity and a sentence', () => {
    expect(rules.length).toBeGreaterThan(15);
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
    for (const { labels, annotations } of rules) {
      expect(['critical', 'warning']).toContain(labels.severity);
      expect(annotations.summary.length).toBeGreaterThan(10);
    }
  });

  test.each(rules)('$alert asks for what the server tells', ({ expr, annotations }) => {
    expect(unanswered(expr)).toEqual([]);
    expect(unknownLabels(expr)).toEqual([]);
    if (!expr.startsWith('up')) expect(expr).toMatch(/firstseen_/);
    const names = Array.from(expr.matchAll(/\b(firstseen_\w+)\b/g), ([name]) => name);
    const known = told.filter(({ name }) => names.includes(name)).flatMap(({ labels }) => Object.keys(labels));
    for (const [, label] of annotations.summary.matchAll(/\$labels\.(\w+)/g)) {
      expect([...ADDED_LABELS, ...known]).toContain(label);
    }
  });

  test('an alert rings before a detector is full, whatever becomes of new keys then', () => {
    const exprs = rules.filter(({ expr }) => expr.includes('fullness_ratio')).map(({ expr }) => expr);
    expect(exprs.some((expr) => /> 0\.9$/.test(expr))).toBe(true);
    expect(exprs.some((expr) => expr.includes('predict_linear'))).toBe(true);
  });
});

interface Panel {
  id: number;
  type: string;
  title: string;
  description?: string;
  gridPos: { h: number; w: number; x: number; y: number };
  targets?: { expr: string }[];
}

describe('the dashboard', () => {
  const dashboard = JSON.parse(textOf('dashboard.json')) as {
    panels: Panel[];
    templating: { list: { name: string; type: string; definition?: string }[] };
  };
  const panels = dashboard.panels.filter(({ type }) => type !== 'row');

  test.each(panels)('$title asks for what the server tells', ({ targets = [], description }) => {
    expect(description).toMatch(/\.$/);
    expect(targets.length).toBeGreaterThan(0);
    for (const { expr } of targets) {
      expect(unanswered(expr)).toEqual([]);
      expect(unknownLabels(expr)).toEqual([]);
    }
  });

  test('its variables are labels that there are, and all that it uses', () => {
    const { list } = dashboard.templating;
    for (const { definition = '' } of list.filter(({ type }) => type === 'query')) {
      expect(unanswered(definition)).toEqual([]);
    }
    const names = list.map(({ name }) => name);
    const used = Array.from(textOf('dashboard.json').matchAll(/\$\{?([a-z]\w*)/g), ([, name]) => name);
    expect([...new Set(used)].toSorted()).toEqual(names.toSorted());
  });

  test('no panel covers another', () => {
    const places = new Set<string>();
    for (const { gridPos } of dashboard.panels) {
      expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          expect(places.has(`${x} ${y}`)).toBe(false);
          places.add(`${x} ${y}`);
        }
      }
    }
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
  });
});

test.skipIf(rulesFile === undefined)('the example of a scrape reads the rules, with a token of the role read', () => {
  const [scrape] = documentsIn(textOf('prometheus.yaml')) as [
    { rule_files: string[]; scrape_configs: { job_name: string; metrics_path: string; authorization: object }[] },
  ];
  expect(scrape.rule_files).toEqual(['alerts.yaml']);
  const [job] = scrape.scrape_configs;
  expect(job?.job_name).toBe('firstseen');
  expect(job?.authorization).toEqual({ type: 'Bearer', credentials_file: 'read.token' });
  // The command in its first lines has a flag that there is.
  const flags = Array.from(textOf('prometheus.yaml').matchAll(/firstseen serve (--[a-z-]+)/g), ([, flag]) => flag);
  expect(flags).toEqual(['--token-read-file']);
  expect(serveRows.map((row) => longFlag(row))).toContain('--token-read-file');
});

test('a token of the role read is enough for a scrape, and none is not', () =>
  withHttp(
    async (port) => {
      const scraped = await ask(port, 'GET', '/metrics', { headers: { Authorization: 'Bearer reader' } });
      expect(scraped.status).toBe(200);
      expect((await ask(port, 'GET', '/metrics')).status).toBe(401);
    },
    { authenticate: (_user, token) => (token === 'reader' ? 'read' : undefined) },
  ));

test('docs/MONITORING.md names every metric with its labels, and no other', () => {
  const text = readFileSync(join(repositoryFolder, 'docs/MONITORING.md'), 'utf8');
  const documented = Array.from(
    text.matchAll(/`((?:firstseen|process)_\w+)(?:\{([\w,]+)\})?`/g),
    ([, name, labels]) => ({
      name: name as string,
      labels: labels?.split(',') ?? [],
    }),
  );
  const familyOf = (name: string) => name.replace(/_(bucket|sum|count)$/, '');
  const names = [...new Set(told.map(({ name }) => familyOf(name)))];
  expect([...new Set(documented.map(({ name }) => name))].toSorted()).toEqual(names.toSorted());
  for (const name of names) {
    const labels = new Set(told.filter((one) => familyOf(one.name) === name).flatMap((one) => Object.keys(one.labels)));
    const written = documented.find((one) => one.name === name)?.labels ?? [];
    const others = [...labels].filter((label) => !['le', 'detector'].includes(label));
    expect([name, written.toSorted()]).toEqual([name, others.toSorted()]);
  }
});

const hasPromtool = spawnSync('promtool', ['--version']).status === 0;

describe.skipIf(!hasPromtool)('promtool, which is not installed everywhere', () => {
  test.each([
    ['check', 'rules', 'alerts.yaml'],
    ['check', 'config', '--syntax-only', 'prometheus.yaml'],
  ])('%s %s takes the file', (...words) => {
    const file = pathOf(words.at(-1) as string);
    const { status, stderr } = spawnSync('promtool', [...words.slice(0, -1), file], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
  });
});
