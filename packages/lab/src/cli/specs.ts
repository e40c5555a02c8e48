// From lists of flags to runs: every combination of families, their parameters and layouts, kinds of streams and their
// settings.

import { FirstseenError, type LayoutName, type ParameterValue } from 'firstseen';
import {
  checkBytes,
  familyNamed,
  optionName,
  parseList,
  parseValue,
  phrase,
  resolveSettings,
} from 'firstseen/internal';
import type { Family } from 'firstseen/plan';
import type { DetectorSpec, Identity, RunSpec, StreamSpec } from '../contract.js';
import { runKey } from '../measure/key.js';
import { checkUse, type StreamKind, settingOption } from '../streams/contract.js';
import { resolveStream, streamKindNamed } from '../streams/registry.js';

/** The flags as the parser stores them. */
export interface RunFlags {
  algorithm: string[];
  memory: string[];
  layout?: LayoutName[];
  param: Record<string, string>;
  stream: string[];
  length?: number[];
  distinct?: number[];
  set: Record<string, string>;
  identity: Identity;
  seed: number[];
  curve: number;
  loadBound: number;
  byGap?: boolean;
  output?: string;
  jobs?: number;
  progress: boolean;
}

const DEFAULT_LENGTH_ELEMENTS = 1e6;

type Values = Readonly<Record<string, readonly ParameterValue[]>>;

/** One value for each name, in every combination. */
function combinations(values: Values): Record<string, ParameterValue>[] {
  return Object.entries(values).reduce<Record<string, ParameterValue>[]>(
    (sets, [name, each]) => sets.flatMap((set) => each.map((value) => ({ ...set, [name]: value }))),
    [{}],
  );
}

/** Rejects a name that no row has. @throws FirstseenError E_PARAMETER */
function checkKnown(
  optionOf: (name: string) => string,
  values: Values,
  rows: readonly { name: string; known: readonly string[] }[],
): void {
  const knownNames = new Set(rows.flatMap((row) => row.known));
  const unknownName = Object.keys(values).find((name) => !knownNames.has(name));
  if (unknownName === undefined) return;
  const names = rows.map(({ name }) => name).join(', ');
  throw new FirstseenError(
    'E_PARAMETER',
    phrase`${optionName(optionOf(unknownName))} has no effect, because ${names} ${rows.length > 1 ? 'have' : 'has'} no ${unknownName}`,
    {
      option: optionOf(unknownName),
      given: values[unknownName],
      remedy: `leave it out, or give one of ${[...knownNames].join(', ')}`,
    },
  );
}

function valuesFor(known: readonly string[], given: Values): Values {
  return Object.fromEntries(Object.entries(given).filter(([name]) => known.includes(name)));
}

function lettersOf({ parameters }: Pick<Family, 'parameters'>): string[] {
  return parameters.filter(({ derived }) => !derived).map(({ letter }) => letter);
}

/** The letters and the plain names of the parameters of a family. */
function parameterNames({ parameters }: Pick<Family, 'parameters'>): string[] {
  return parameters.filter(({ derived }) => !derived).flatMap(({ letter, name }) => [...new Set([letter, name])]);
}

/** The values by the letters of a family's parameters. Results are stored by letter, whichever name was given. */
function byLetter({ name: family, parameters }: Pick<Family, 'name' | 'parameters'>, namedValues: Values): Values {
  const values: Record<string, Values[string]> = {};
  for (const { letter, name } of parameters) {
    const names = [...new Set([letter, name])].filter((one) => namedValues[one] !== undefined);
    if (names.length > 1) {
      throw new FirstseenError('E_PARAMETER', `${family} has one parameter for ${names.join(' and ')}`, {
        option: `parameters.${name}`,
        remedy: 'give one of them',
      });
    }
    const [givenName] = names;
    if (givenName !== undefined) values[letter] = namedValues[givenName] as Values[string];
  }
  return values;
}

/** Returns the given layouts that a family has; if it has none of them, the first, which is then refused. */
function layoutsOf(
  { layouts, layout }: Pick<Family, 'layouts' | 'layout'>,
  asked: readonly LayoutName[] | undefined,
): readonly LayoutName[] {
  if (asked === undefined) return [layout];
  const had = asked.filter((name) => layouts.includes(name));
  return had.length > 0 ? had : asked.slice(0, 1);
}

function detectorsOf(flags: RunFlags): Omit<DetectorSpec, 'seed'>[] {
  const values = Object.fromEntries(
    Object.entries(flags.param).map(([name, text]) => [name, parseList(text, '--param').map(parseValue)]),
  );
  const families = flags.algorithm.map((name) => familyNamed(name));
  checkKnown(
    (name) => `parameters.${name}`,
    values,
    families.map((family) => ({ name: family.name, known: parameterNames(family) })),
  );
  return families.flatMap((family) =>
    combinations(valuesFor(lettersOf(family), byLetter(family, values))).flatMap((parameters) =>
      layoutsOf(family, flags.layout).flatMap((layout) =>
        flags.memory.map((size) => {
          const memoryBytes = checkBytes('memory', size);
          const spec = { algorithm: family.name, layout, memoryBytes, parameters };
          // Checked here, not after hours of other runs.
          resolveSettings({ ...spec, memory: memoryBytes });
          return spec;
        }),
      ),
    ),
  );
}

function settingNames({ settings }: StreamKind): string[] {
  return settings.map(({ name }) => name);
}

/** The values of settings. They are lists, except texts such as paths, which may contain commas. */
function settingValues(kinds: readonly StreamKind[], flags: RunFlags): Values {
  const texts = new Set(
    kinds.flatMap(({ settings }) => settings.filter(({ isText }) => isText).map(({ name }) => name)),
  );
  const values: Record<string, ParameterValue[]> = {};
  for (const [name, text] of Object.entries(flags.set)) {
    values[name] = texts.has(name) ? [text] : parseList(text, '--set').map(parseValue);
  }
  if (flags.distinct === undefined) return values;
  if (values.distinctShare === undefined) return { ...values, distinctShare: flags.distinct };
  throw new FirstseenError('E_USAGE', '--distinct and --set distinctShare set the same value', {
    remedy: 'leave one of them out',
  });
}

function streamsOf(flags: RunFlags): StreamSpec[] {
  const kinds = flags.stream.map(streamKindNamed);
  const values = settingValues(kinds, flags);
  checkKnown(
    settingOption,
    values,
    kinds.map((kind) => ({ name: kind.name, known: settingNames(kind) })),
  );
  return kinds.flatMap((kind) => {
    const isFile = settingNames(kind).includes('path');
    const lengths = flags.length ?? [isFile ? 0 : DEFAULT_LENGTH_ELEMENTS];
    return combinations(valuesFor(settingNames(kind), values)).flatMap((settings) =>
      lengths.flatMap((lengthElements) =>
        flags.seed.map((seed) => ({ kind: kind.name, lengthElements, seed, settings })),
      ),
    );
  });
}

/**
 * The runs that the flags describe, grouped by stream.
 * @throws FirstseenError for an invalid detector or stream.
 */
export async function specsOf(flags: RunFlags): Promise<RunSpec[]> {
  const detectors = detectorsOf(flags);
  const streams = streamsOf(flags);
  const { identity, curve: curvePoints, byGap = false } = flags;
  // Checked here, not after hours of other runs.
  for (const stream of streams) checkUse(await resolveStream(stream), { identity, isByGap: byGap });
  const specs = streams.flatMap((stream) =>
    detectors.map((detector) => ({
      stream,
      identity,
      detector: { ...detector, seed: stream.seed },
      curvePoints,
      byGap,
    })),
  );
  // A run that the lists name twice is done once. Counting it twice would make its interval too narrow.
  return [...new Map(specs.map((spec) => [runKey(spec), spec])).values()];
}
