// The one place where data of the library becomes JSON of the command: its names in snake_case.

/** Members whose names are data or have long been as they are: they go out as they come, and what is in them too. */
const kept = ['parameters', 'settings', 'inputs', 'outputs', 'isFinished'] as const;
const keptMembers: ReadonlySet<string> = new Set(kept);

type SnakeName<Name> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeName<Rest>}`
  : Name;

/** Data as it goes out. */
export type SnakeCase<Data> = Data extends readonly (infer Item)[]
  ? SnakeCase<Item>[]
  : Data extends object
    ? {
        [Name in keyof Data as Name extends (typeof kept)[number]
          ? Name
          : SnakeName<Name>]: Name extends (typeof kept)[number] ? Data[Name] : SnakeCase<Data[Name]>;
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
