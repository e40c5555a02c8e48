import { describe, expect, test } from 'vitest';
import type { OptionRow } from '../../../src/options/row.js';
import { type SettingsSources, settingsOf, variableOf } from '../../../src/options/settings.js';

const common = { group: 'input', jobs: [], help: '' } as const;
const size: OptionRow = { ...common, name: 'logLimit', flag: '-l, --log-limit <size>', kind: 'bytes' };
const count: OptionRow = { ...common, name: 'most', flag: '--most <n>', kind: 'whole' };
const word: OptionRow = { ...common, name: 'when', flag: '--when <word>', kind: 'word', words: ['now', 'never'] };
const isOn: OptionRow = { ...common, name: 'isOn', flag: '--on', kind: 'presence' };
const isOff: OptionRow = { ...common, name: 'http', flag: '--no-http', kind: 'presence', gives: false };
const list: OptionRow = { ...common, name: 'list', flag: '--list <text>', kind: 'texts' };
const secret: OptionRow = { ...common, name: 'token', flag: '--token-file <file>', kind: 'text', holdsSecret: true };
const config: OptionRow = { ...common, name: 'config', flag: '--config <file>', kind: 'text' };

const rows = [size, count, word, isOn, isOff, list, secret];

function settings(sources: Partial<SettingsSources>) {
  return settingsOf({
    rows,
    rowsWithoutEntry: [config],
    flags: {},
    variables: {},
    otherVariables: ['FIRSTSEEN_DEBUG'],
    otherEntries: ['detectors'],
    owner: 'the server',
    ...sources,
  });
}

const inFile = (entries: Record<string, unknown>) => ({ file: { path: 'a.json', entries } });

test('a variable has the name of the flag', () => {
  expect(variableOf(size)).toBe('FIRSTSEEN_LOG_LIMIT');
});

test('a flag wins, then the variable, then the file', () => {
  const entries = { 'log-limit': '1KiB', most: 3, when: 'now' };
  const given = settings({
    flags: { logLimit: 4096 },
    variables: { FIRSTSEEN_LOG_LIMIT: '2KiB', FIRSTSEEN_MOST: '2' },
    ...inFile(entries),
  });
  expect(given.valuesOf(rows)).toEqual({ logLimit: 4096, most: 2, when: 'now' });
  expect([size, count, word, isOn].map((row) => given.originOf(row))).toEqual([
    '--log-limit',
    'FIRSTSEEN_MOST',
    'when in a.json',
    '--on',
  ]);
});

test('values are the same from a variable and from a file', () => {
  const expected = { logLimit: 1024, most: 1000, when: 'never', isOn: true, list: ['a=b', 'c'] };
  expect(
    settings({
      variables: {
        FIRSTSEEN_LOG_LIMIT: '1KiB',
        FIRSTSEEN_MOST: '1e3',
        FIRSTSEEN_WHEN: 'never',
        FIRSTSEEN_ON: 'true',
        FIRSTSEEN_LIST: 'a=b\n\nc\n',
      },
    }).valuesOf(rows),
  ).toEqual(expected);
  const entries = { 'log-limit': 1024, most: 1000, when: 'never', on: true, list: ['a=b', 'c'] };
  expect(settings(inFile(entries)).valuesOf(rows)).toEqual(expected);
  expect(settings(inFile({ list: 'a' })).valuesOf(rows)).toEqual({ list: ['a'] });
});

test('a variable that is empty is not given, and false wins against the file', () => {
  expect(settings({ variables: { FIRSTSEEN_MOST: '' }, ...inFile({ most: 1 }) }).valuesOf(rows)).toEqual({ most: 1 });
  expect(settings({ variables: { FIRSTSEEN_ON: '0' }, ...inFile({ on: true }) }).valuesOf(rows)).toEqual({});
});

test('a flag that turns something off does so everywhere', () => {
  expect(settings({ variables: { FIRSTSEEN_NO_HTTP: 'true' } }).valuesOf(rows)).toEqual({ http: false });
  expect(settings(inFile({ 'no-http': true })).valuesOf(rows)).toEqual({ http: false });
  expect(
    settings({ variables: { FIRSTSEEN_NO_HTTP: 'false' }, ...inFile({ 'no-http': true }) }).valuesOf(rows),
  ).toEqual({});
});

test('a secret is in a variable, or in the file that an option names', () => {
  expect(settings({ variables: { FIRSTSEEN_TOKEN: 's' } }).valuesOf(rows)).toEqual({ token: { secret: 's' } });
  expect(settings({ variables: { FIRSTSEEN_TOKEN_FILE: 's' } }).valuesOf(rows)).toEqual({ token: 's' });
  expect(settings({ flags: { token: 'f' }, variables: { FIRSTSEEN_TOKEN: 's' } }).valuesOf(rows)).toEqual({
    token: 'f',
  });
  expect(() => settings({ variables: { FIRSTSEEN_TOKEN: 'hidden', FIRSTSEEN_TOKEN_FILE: 's' } })).toThrow(
    /^FIRSTSEEN_TOKEN and FIRSTSEEN_TOKEN_FILE are both given; leave one of them out$/,
  );
});

describe('errors say where the value was given', () => {
  test.each([
    [
      { variables: { FIRSTSEEN_LOG_LIMIT: 'lots' } },
      /^FIRSTSEEN_LOG_LIMIT: logLimit is "lots", but must be a number of bytes/,
    ],
    [inFile({ 'log-limit': 'lots' }), /^log-limit in a\.json: logLimit is "lots", but must be a number of bytes/],
    [
      { variables: { FIRSTSEEN_WHEN: 'x' }, flags: { when: 'now' } },
      /^FIRSTSEEN_WHEN: --when is "x", but must be one of now/,
    ],
    [{ variables: { FIRSTSEEN_ON: 'yes' } }, /^FIRSTSEEN_ON is "yes", but must be true, false, 1 or 0$/],
    [inFile({ on: 1 }), /^on in a\.json is 1, but must be true or false$/],
    [inFile({ most: [1] }), /^most in a\.json is .*, but must be a text or a number$/],
    [inFile({ most: null }), /^most in a\.json is null, but must be a text or a number$/],
    [inFile({ list: [true] }), /^list in a\.json is .*, but must be a list of texts$/],
  ])('%j', (sources, message) => {
    expect(() => settings(sources)).toThrow(message);
  });
});

test('a variable or an entry with a typing error is refused, and what orchestrators set is not', () => {
  expect(() => settings({ variables: { FIRSTSEEN_LOGLIMIT: '1' } })).toThrow(
    /^the variable FIRSTSEEN_LOGLIMIT is not an option of the server; remove it, or use one of FIRSTSEEN_LOG_LIMIT, .*FIRSTSEEN_TOKEN_FILE, FIRSTSEEN_TOKEN, FIRSTSEEN_CONFIG$/,
  );
  expect(() => settings(inFile({ logLimit: 1 }))).toThrow(
    /^"logLimit" in a\.json is not an option of the server; remove it, or use one of log-limit, .*detectors$/,
  );
  expect(() => settings(inFile({ config: 'b.json' }))).toThrow(/^"config" in a\.json is not an option/);
  const variables = {
    FIRSTSEEN_DEBUG: '1',
    FIRSTSEEN_SERVICE_HOST: '10.0.0.1',
    FIRSTSEEN_SERVICE_PORT_REDIS: '6390',
    FIRSTSEEN_PORT: 'tcp://10.0.0.1:6390',
    FIRSTSEEN_PORT_6390_TCP: 'tcp://10.0.0.1:6390',
    FIRSTSEEN_PORT_6390_TCP_ADDR: '10.0.0.1',
    FIRSTSEEN_EVENTS_SERVICE_HOST: '10.0.0.2',
    FIRSTSEEN_MOST: 'tcp://10.0.0.1:6390',
    OTHER: '1',
  };
  expect(settings({ variables, ...inFile({ detectors: {} }) }).valuesOf(rows)).toEqual({});
});

test('an option that gives others no effect wins where it wins', () => {
  const entries = { 'log-limit': 1, on: true };
  const values = (sources: Partial<SettingsSources>) => settings(sources).overriding(isOn, [size]).valuesOf(rows);
  expect(values({ flags: { isOn: true }, ...inFile(entries) })).toEqual({ isOn: true });
  expect(values(inFile(entries))).toEqual({ isOn: true, logLimit: 1 });
  expect(values({ flags: { logLimit: 1 }, ...inFile({ on: true }) })).toEqual({ isOn: true, logLimit: 1 });
  expect(values({ flags: { logLimit: 1 } })).toEqual({ logLimit: 1 });
});

test.each([
  [{ flags: { token: '' } }, '--token-file is ""'],
  [{ flags: { config: ' ' } }, '--config is " "'],
  [inFile({ 'token-file': '' }), 'token-file in a.json is ""'],
])('a text without characters is refused', (sources, problem) => {
  expect(() => settings(sources)).toThrow(
    expect.objectContaining({ code: 'E_USAGE', message: expect.stringContaining(`${problem}, without a text; give `) }),
  );
});

test('a variable without characters is one that is not set', () => {
  expect(settings({ variables: { FIRSTSEEN_TOKEN_FILE: '' } }).givenOf(secret)).toBeUndefined();
});
