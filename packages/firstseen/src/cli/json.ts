// Converts data of the library to JSON of the command: names become snake_case. No other module does this.

/** Members whose names are data, or were published in camelCase: these and their contents are not renamed. */
const keptNames = ['parameters', 'settings', 'inputs', 'outputs', 'isFinished'] as const;
const keptMembers: ReadonlySet<string> = new Set(keptNames);

type SnakeName<Name> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeName<Rest>}`
  : Name;

/** Data as it goes out. */
export type SnakeCase<Data> = Data extends readonly (infer Item)[]
  ? SnakeCase<Item>[]
  : Data extends object
    ? {
        [Name in keyof Data as Name extends (typeof keptNames)[number]
          ? Name
          : SnakeName<Name>]: Name extends (typeof keptNames)[number] ? Data[Name] : SnakeCase<Data[Name]>;
      }
    : Data;

function snakeName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function renamed(data: unknown): unknown {
  if (Array.isArray(data)) return data.map(renamed);
  if (typeof data !== 'object' || data === null) return data;
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) =>
      keptMembers.has(name) ? [name, value] : [snakeName(name), renamed(value)],
    ),
  );
}

/** A copy of plain data whose members are named in snake_case, in the same order. */
export function snakeCase<Data>(data: Data): SnakeCase<Data> {
  return renamed(data) as SnakeCase<Data>;
}
