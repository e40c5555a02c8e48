// Compares what is asked with what a group began with: the same option can be spelled in several ways.

import { formatBytes } from '../../base/memory.js';
import { checkWindow } from '../../detectors/settings.js';
import { decidingRows } from '../../options/kafka.js';
import { entryOf } from '../../options/longflag.js';
import { emptyKey, nullKey } from '../../options/records.js';
import { formatKeyPath, parseKeyPath } from '../../records/keypath.js';

type Asked = Readonly<Record<string, unknown>>;

/** Defaults that are the same whatever else is given: the help shows them as they are. */
const defaults: Asked = Object.fromEntries(
  decidingRows.filter(({ shownDefault }) => shownDefault === undefined).map((row) => [entryOf(row), row.default]),
);

function keysOf(keys: unknown): string[] {
  return (keys as string[]).map((key) => formatKeyPath(parseKeyPath(key)));
}

/** Parameters can be given in any order. */
function parametersOf(given: unknown): unknown {
  const entries = Object.entries(given as object).map(([name, value]) => [name, String(value)] as const);
  return entries.sort(([one], [other]) => (one < other ? -1 : 1));
}

/** The forms in which equal values are equal texts. */
const forms: Readonly<Record<string, (value: unknown) => unknown>> = {
  key: keysOf,
  param: parametersOf,
  seed: String,
  window: (value) => checkWindow(value as string | number),
};

function formOf(name: string, value: unknown): string | undefined {
  const form = forms[name];
  try {
    return JSON.stringify(form === undefined || value === undefined ? value : form(value));
  } catch {
    // An option that cannot be is refused elsewhere.
    return JSON.stringify(value);
  }
}

/** With the defaults. Keys are in JSON. */
function completed(asked: Asked): Asked {
  return { ...defaults, format: asked.key === undefined ? 'lines' : 'ndjson', ...asked };
}

/** The memory of all partitions, from least to most: a share is rounded down. Undefined for one that is not a number. */
function memoryOf({ memory, partitions = 1 }: Asked): { least: number; most: number } | undefined {
  if (typeof memory !== 'number' || typeof partitions !== 'number') return undefined;
  return { least: memory * partitions, most: memory * partitions + partitions - 1 };
}

/** Tells if the memory is the same. The share of a partition is another one where an input was given partitions. */
function hasSameMemory(saved: Asked, asked: Asked): boolean {
  const [one, other] = [memoryOf(saved), memoryOf(asked)];
  if (one === undefined || other === undefined) return saved.memory === asked.memory;
  return one.least <= other.most && other.least <= one.most;
}

/** The memory as a user gave it: the roundest number that it can have been. */
function memoryText(asked: Asked): string {
  const range = memoryOf(asked);
  if (range === undefined) return String(asked.memory);
  let bytes = range.least;
  for (let unit = 1; unit <= range.most; unit *= 2) {
    const round = Math.ceil(range.least / unit) * unit;
    if (round <= range.most) bytes = round;
  }
  return formatBytes(bytes);
}

function shown(name: string, asked: Asked): string {
  const value = asked[name];
  if (value === undefined) return 'not given';
  return name === 'memory' ? memoryText(asked) : JSON.stringify(value);
}

/**
 * Returns the differences between the options that a group began with and those that are requested, by the names of
 * options.
 */
export function changedOptions(saved: Asked, requested: Asked): string[] {
  const [one, other] = [completed(saved), completed(requested)];
  const names = [...new Set([...Object.keys(saved), ...Object.keys(requested), ...Object.keys(other)])];
  // With a secret, which nobody knows, the seed decides nothing.
  const isKeyed = one.keyed !== undefined && other.keyed !== undefined;
  const differs = (name: string) => {
    if (name === 'seed' && isKeyed) return false;
    return name === 'memory' ? !hasSameMemory(one, other) : formOf(name, one[name]) !== formOf(name, other[name]);
  };
  return names.filter(differs).map((name) => `${name} was ${shown(name, one)} and is ${shown(name, other)}`);
}

/** Returns a scheme of cuts as JSON, with its defaults. @throws Error for what is not JSON */
function cutForm(scheme: string): string {
  const { keys, ...others } = JSON.parse(scheme) as { keys: string[] };
  return JSON.stringify(
    {
      ...{ emptyKey: emptyKey.default, nullKey: nullKey.default, ...others },
      keys: keysOf(keys),
    },
    ['emptyKey', 'nullKey', 'place', 'header', 'format', 'isBatch', 'keys'],
  );
}

/** Tells if two schemes cut records in the same way. */
export function isSameCut(one: string, other: string): boolean {
  if (one === other) return true;
  try {
    return cutForm(one) === cutForm(other);
  } catch {
    return false;
  }
}
