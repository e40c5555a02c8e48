// Durations, from the flag to what waits or compares by them. Each name says its unit, and so does this table.

import { expect, test } from 'vitest';
import { readKafkaSettings, workerSettings } from '../../../src/cli/kafka/settings.js';
import { valuesOf } from '../../../src/options/filled.js';
import { kafkaRows } from '../../../src/options/kafka.js';
import { kinds } from '../../../src/options/kinds.js';
import type { OptionRow } from '../../../src/options/row.js';
import { optionRows } from '../../../src/options/rows.js';
import { serveRows } from '../../../src/options/serve.js';
import { fillDefaults } from '../../../src/run/settled.js';

const owners: Readonly<Record<string, readonly OptionRow[]>> = { run: optionRows, serve: serveRows, kafka: kafkaRows };

function kafkaWith(maxLeadMilliseconds: string) {
  const needed = { brokers: 'b:1', input: 'in', output: 'out', group: 'g', state: 's', window: '10h' };
  return workerSettings(readKafkaSettings({ ...needed, maxLeadMilliseconds }, {}), 2);
}

/** The milliseconds that an option gives. */
const taken: Readonly<Record<string, (text: string) => unknown>> = {
  'run checkpoint': (checkpoint) => fillDefaults({ inputs: ['a'], checkpoint }).state.checkpoint,
  'run maxLead': (maxLead) => fillDefaults({ inputs: ['a'], maxLead }).time.maxLead,
  'serve requestMilliseconds': (requestMilliseconds) =>
    valuesOf(serveRows, { requestMilliseconds }).requestMilliseconds,
  'serve idleMilliseconds': (idleMilliseconds) => valuesOf(serveRows, { idleMilliseconds }).idleMilliseconds,
  'serve drainMilliseconds': (drainMilliseconds) => valuesOf(serveRows, { drainMilliseconds }).drainMilliseconds,
  'kafka maxLeadMilliseconds': (maxLead) => kafkaWith(maxLead).clock.maxLeadMilliseconds,
};

test('the table has all durations', () => {
  const names = Object.entries(owners).flatMap(([owner, rows]) =>
    rows.filter(({ kind }) => kind === 'duration').map(({ name }) => `${owner} ${name}`),
  );
  expect(Object.keys(taken).sort()).toEqual(names.sort());
});

test.each(Object.keys(taken))('%s of a minute is 60,000 milliseconds', (name) => {
  const [owner = '', option] = name.split(' ');
  const row = owners[owner]?.find((one) => one.name === option) as OptionRow;
  for (const [text, milliseconds] of [
    ['500ms', 500],
    ['1m', 60_000],
    ['1h30m', 5_400_000],
  ] as const) {
    const read = kinds.duration.read?.({ text, flag: row.flag ?? '', row, words: [], before: undefined });
    expect(taken[name]?.(read as string)).toBe(milliseconds);
  }
});
