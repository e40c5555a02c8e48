// Options that were not given.

/** Options that are all given. */
export type AllGiven<Options> = { [Name in keyof Options]-?: Exclude<Options[Name], undefined> };

/** A copy without the members that are undefined. */
export function defined<Values extends object>(
  values: Values,
): { [Name in keyof Values]?: Exclude<Values[Name], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Values]?: Exclude<Values[Name], undefined>;
  };
}
