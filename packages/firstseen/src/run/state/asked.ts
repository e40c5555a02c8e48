// What was asked of a detector, as the note of a state keeps it, and how what is asked now differs from it.

import { type DetectorSettings, ownParameters, resolveSettings } from '../../detectors/settings.js';
import { resolveWitnessBytes } from '../../detectors/witness.js';
import { RANDOM_SECRET, Secret } from '../../fingerprint/secret.js';
import { parseBytes } from '../../memory.js';
import { isAuto, type PlannedOptions, planSettings } from '../../plan/auto.js';

/** Options of a detector as JSON. A secret is no part of it: the state holds it once, in its header. */
export type AskedNote = Readonly<Record<string, unknown>>;

/** What is asked now, as the note of a state would keep it. */
export function askedNote({ secret: _secret, witness: _witness, memory, seed, ...asked }: PlannedOptions): AskedNote {
  const note = {
    ...asked,
    memory: memory === undefined ? undefined : parseBytes(memory),
    seed: seed === undefined ? undefined : String(seed),
  };
  return Object.fromEntries(Object.entries(note).filter(([, value]) => value !== undefined));
}

/** Whether all that is asked now was asked in the same words when the state was made. */
function wasAsked(before: AskedNote, now: AskedNote): boolean {
  return Object.entries(now).every(([name, value]) => JSON.stringify(before[name]) === JSON.stringify(value));
}

/** A state's detector, and what was asked when it was made. */
export interface SavedDetector {
  settings: DetectorSettings;
  asked: AskedNote;
}

/**
 * What is asked for and is otherwise in the state, a line each; what is not asked for is taken from the state. Where all of it
 * was asked before, the two records agree, and nothing is planned. Otherwise, as in states that do not say what was asked, what
 * is asked now is held against the settings that were made.
 */
export function differences({ settings, asked: before }: SavedDetector, asked: PlannedOptions): string[] {
  if (wasAsked(before, askedNote(asked))) return ownDifferences(settings, asked);
  if (asked.algorithm !== undefined) return differencesTo(settings, asPlanned(asked));
  // An algorithm that is not named now may have been when the state was made, so what it makes of the same wishes will do.
  const named = differencesTo(settings, asked);
  if (named.length === 0) return named;
  const planned = differencesTo(settings, asPlanned(asked));
  return planned.length < named.length ? planned : named;
}

type Compare = (what: string, inState: unknown, given: unknown) => void;

/** Calls `compare` for pairs, and lists those that differ, where something is given. */
function listed(compareAll: (compare: Compare) => void): string[] {
  const found: string[] = [];
  compareAll((what, inState, given) => {
    if (given !== undefined && String(given) !== String(inState)) {
      found.push(`${what} is ${inState} there, not ${given}`);
    }
  });
  return found;
}

/** What the state itself says, in whatever words it was asked for: the secret, and the memory of the witness. */
function ownDifferences(saved: DetectorSettings, { secret, witness }: PlannedOptions): string[] {
  return [
    ...secretDifferences(saved.secret, secret),
    ...listed((compare) => {
      if (typeof witness !== 'object') return;
      compare('memory of the witness', saved.witnessBytes, resolveWitnessBytes(witness));
    }),
  ];
}

function differencesTo(saved: DetectorSettings, asked: PlannedOptions): string[] {
  const found = [
    ...listed((compare) => {
      compare('algorithm', saved.family.name, asked.algorithm);
      compare('memory', saved.memoryBytes, asked.memory === undefined ? undefined : parseBytes(asked.memory));
      compare('layout', saved.layout, asked.layout);
      compare('seed', saved.seed, asked.seed);
      compare('fingerprint', saved.fingerprint, asked.fingerprint);
    }),
    ...ownDifferences(saved, asked),
  ];
  if (found.length > 0) return found;
  return listed((compare) => {
    for (const [letter, value] of Object.entries(askedParameters(saved, asked))) {
      compare(`parameter ${letter}`, saved.parameters.values[letter], value);
    }
  });
}

/** Says that secrets differ, never what they are. A random one that was asked for is the one in the state. */
function secretDifferences(saved: Secret | undefined, asked: PlannedOptions['secret']): string[] {
  if (asked === undefined) return [];
  if (!saved) return ['it is not keyed there'];
  return asked === RANDOM_SECRET || saved.equals(new Secret(asked)) ? [] : ['the secret is another one there'];
}

/** What is asked of `auto` is what it plans; asked for by name alone, it leaves everything to the state. */
function asPlanned(asked: PlannedOptions): PlannedOptions {
  const { algorithm: _auto, fpr, gapsElements, distinctElements, lengthElements, window, refresh, ...rest } = asked;
  if (!isAuto(asked)) return asked;
  const hints = [fpr, gapsElements, distinctElements, lengthElements, window, refresh];
  if (hints.every((hint) => hint === undefined)) return rest;
  const planned = planSettings(asked);
  const { family, memoryBytes: memory, layout } = planned;
  return { ...rest, algorithm: family.name, memory, layout, parameters: ownParameters(planned) };
}

/** Parameters given outright; where a rate, gaps or a window are given, all that follow from them but words, which do not. */
function askedParameters(saved: DetectorSettings, asked: PlannedOptions) {
  // How a key becomes 64 bits has no part in them, and a fingerprint alone may lack the secret that is in the state. What is
  // expected of a stream is for `auto` alone.
  const { fingerprint: _fingerprint, secret: _secret, distinctElements: _d, lengthElements: _l, ...rest } = asked;
  const { values } = resolveSettings({
    ...rest,
    algorithm: saved.family.name,
    memory: saved.memoryBytes,
    layout: saved.layout,
  }).parameters;
  const isPlanned = [asked.fpr, asked.gapsElements, asked.window].some((value) => value !== undefined);
  const following = saved.family.parameters.filter(({ words, derived }) => isPlanned && !words && !derived);
  const letters = [...following.map(({ letter }) => letter), ...Object.keys(asked.parameters ?? {})];
  return Object.fromEntries(
    [...letters, ...(asked.refresh === undefined ? [] : ['refresh'])].map((letter) => [letter, values[letter]]),
  );
}
