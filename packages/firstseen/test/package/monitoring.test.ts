// The files of deploy/ for a monitor, and the tables of docs: what they ask for is what the server and a worker for Kafka tell.

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { longFlag } from '../../src/options/longflag.js';
import { serveRows } from '../../src/options/serve.js';
import { ask, withHttp } from '../serve/support/http.js';
import { repositoryFolder } from '../support/folders.js';
import { documentsIn } from '../support/yaml.js';
import {
  ADDED_LABELS,
  documentedIn,
  labelsOf,
  namesIn,
  type Series,
  unanswered,
  unknownLabels,
} from './support/series.js';
import { toldByServer, toldByWorker } from './support/told.js';

const pathOf = (name: string) => join(repositoryFolder, 'deploy', name);
const textOf = (name: string) => readFileSync(pathOf(name), 'utf8');

const folder = mkdtempSync(join(tmpdir(), 'firstseen-monitoring-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What each service tells. */
const told: Record<'server' | 'worker', Series[]> = { server: [], worker: [] };

beforeAll(async () => {
  const [server, worker] = ['server', 'worker'].map((name) => join(folder, name)) as [string, string];
  for (const own of [server, worker]) mkdirSync(own);
  told.server = await toldByServer(server);
  told.worker = await toldByWorker(worker);
});

interface Rule {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary: string };
}

const rulesFile = documentsIn(textOf('alerts.yaml'));
const [{ groups: ruleGroups }] = (rulesFile ?? [{ groups: [] }]) as [{ groups: { name: string; rules: Rule[] }[] }];

/** The rules of a service. */
function rulesOf(service: 'server' | 'worker'): Rule[] {
  const isOf = ({ name }: { name: string }) => (name === 'firstseen-kafka') === (service === 'worker');
  return ruleGroups.filter(isOf).flatMap(({ rules }) => rules);
}

describe.skipIf(rulesFile === undefined)('the rules of alerts', () => {
  const rules = (['server', 'worker'] as const).flatMap((service) =>
    rulesOf(service).map((rule) => ({ ...rule, service })),
  );

  test('there are some of each service, each with a name of its own, a severity and a sentence', () => {
    const countOf = (service: string) => rules.filter((rule) => rule.service === service).length;
    expect(countOf('server')).toBeGreaterThan(15);
    expect(countOf('worker')).toBeGreaterThan(7);
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
    for (const { labels, annotations } of rules) {
      expect(['critical', 'warning']).toContain(labels.severity);
      expect(annotations.summary.length).toBeGreaterThan(10);
    }
  });

  test.each(rules)('$alert asks for what the $service tells', ({ expr, annotations, service }) => {
    expect(unanswered(told[service], expr)).toEqual([]);
    expect(unknownLabels(told[service], expr)).toEqual([]);
    if (!expr.startsWith('up')) expect(expr).toMatch(/firstseen_/);
    for (const [, label] of annotations.summary.matchAll(/\$labels\.(\w+)/g)) {
      expect([...ADDED_LABELS, ...labelsOf(told[service], expr)]).toContain(label);
    }
  });

  test('a rule of what both services tell names its job', () => {
    const ofServer = new Set(told.server.map(({ name }) => name));
    const both = told.worker.map(({ name }) => name).filter((name) => ofServer.has(name));
    expect(both).toContain('firstseen_ready');
    for (const { expr, service } of rules) {
      if (!both.some((name) => expr.includes(name)) && !expr.startsWith('up')) continue;
      expect(expr).toContain(service === 'worker' ? 'job="firstseen-kafka"' : 'job="firstseen"');
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

describe.each([
  ['dashboard.json', 'server'],
  ['dashboard.kafka.json', 'worker'],
] as const)('%s', (name, service) => {
  const dashboard = JSON.parse(textOf(name)) as {
    panels: Panel[];
    templating: { list: { name: string; type: string; definition?: string }[] };
  };
  const panels = dashboard.panels.filter(({ type }) => type !== 'row');

  test.each(panels)(`$title asks for what the ${service} tells`, ({ targets = [], description }) => {
    expect(description).toMatch(/\.$/);
    expect(targets.length).toBeGreaterThan(0);
    for (const { expr } of targets) {
      expect(unanswered(told[service], expr)).toEqual([]);
      expect(unknownLabels(told[service], expr)).toEqual([]);
    }
  });

  test.skipIf(rulesFile === undefined)('it shows all that alerts ask for', () => {
    const shown = namesIn(panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)).join(' '));
    const rules = rulesOf(service).flatMap(({ expr }) => namesIn(expr));
    expect(rules.length).toBeGreaterThan(0);
    expect(rules.filter((metric) => !shown.includes(metric))).toEqual([]);
  });

  test('its variables are labels that there are, and all that it uses', () => {
    const { list } = dashboard.templating;
    for (const { definition = '' } of list.filter(({ type }) => type === 'query')) {
      expect(unanswered(told[service], definition)).toEqual([]);
    }
    const names = list.map((variable) => variable.name);
    const used = Array.from(textOf(name).matchAll(/\$\{?([a-z]\w*)/g), ([, variable]) => variable);
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

test.skipIf(rulesFile === undefined)(
  'the example of a scrape reads the rules, and the server with a token of the role read',
  () => {
    const [scrape] = documentsIn(textOf('prometheus.yaml')) as [
      { rule_files: string[]; scrape_configs: { job_name: string; metrics_path: string; authorization?: object }[] },
    ];
    expect(scrape.rule_files).toEqual(['alerts.yaml']);
    const [server, worker] = scrape.scrape_configs;
    expect(server?.job_name).toBe('firstseen');
    expect(server?.authorization).toEqual({ type: 'Bearer', credentials_file: 'read.token' });
    expect(worker?.job_name).toBe('firstseen-kafka');
    expect(worker).not.toHaveProperty('authorization');
    // The command in its first lines has a flag that there is.
    const flags = Array.from(textOf('prometheus.yaml').matchAll(/firstseen serve (--[a-z-]+)/g), ([, flag]) => flag);
    expect(flags).toEqual(['--token-read-file']);
    expect(serveRows.map((row) => longFlag(row))).toContain('--token-read-file');
  },
);

test('a token of the role read is enough for a scrape, and none is not', () =>
  withHttp(
    async (port) => {
      const scraped = await ask(port, 'GET', '/metrics', { headers: { Authorization: 'Bearer reader' } });
      expect(scraped.status).toBe(200);
      expect((await ask(port, 'GET', '/metrics')).status).toBe(401);
    },
    { authenticate: (_user, token) => (token === 'reader' ? 'read' : undefined) },
  ));

test.each([
  ['docs/MONITORING.md', 'server'],
  ['docs/KAFKA-OPERATIONS.md', 'worker'],
] as const)('%s names every metric of the %s with its labels, and no other', (page, service) => {
  const text = readFileSync(join(repositoryFolder, page), 'utf8');
  const familyOf = (name: string) => name.replace(/_(bucket|sum|count)$/, '');
  const names = [...new Set(told[service].map(({ name }) => familyOf(name)))];
  expect([...documentedIn(text).keys()].toSorted()).toEqual(names.toSorted());
  // A page may name a metric again elsewhere, without its labels.
  const table = documentedIn(text.replaceAll(/^[^|].*$/gm, ''));
  for (const name of names) {
    const series = told[service].filter((one) => familyOf(one.name) === name);
    const labels = new Set(series.flatMap((one) => Object.keys(one.labels)));
    const others = [...labels].filter((label) => !['le', 'detector'].includes(label));
    expect([name, table.get(name)?.toSorted() ?? []]).toEqual([name, others.toSorted()]);
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
