// How what is asked for now differs from a state, in words.

/** A setting of a state, beside the one that is asked for now. */
export interface Compared {
  /** The name of the setting. */
  what: string;
  inState: unknown;
  /** The value that was given; undefined if none was, so that it follows the state. */
  given: unknown;
  /** The function that writes a value as text; `String` by default. */
  show?: ((value: unknown) => string) | undefined;
}

/** The settings that differ, one text for each. */
export function differencesOf(pairs: readonly Compared[]): string[] {
  return pairs
    .filter(({ inState, given }) => given !== undefined && String(given) !== String(inState))
    .map(({ what, inState, given, show = String }) => `${what} is ${show(inState)} in the state, not ${show(given)}`);
}
