// Checks of values that were parsed from JSON, which something else may have written.

export type Check = (value: unknown) => boolean;

export const isText: Check = (value) => typeof value === 'string';
export const isFlag: Check = (value) => typeof value === 'boolean';
export const isCount: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
export const isBase64: Check = (value) => typeof value === 'string' && /^[A-Za-z0-9+/]*={0,2}$/.test(value);

export function isOneOf(...words: readonly unknown[]): Check {
  return (value) => words.includes(value);
}

export function isEither(...checks: readonly Check[]): Check {
  return (value) => checks.some((check) => check(value));
}

export function isListOf(check: Check): Check {
  return (value) => Array.isArray(value) && value.every(check);
}

export function isObjectOf(checks: Readonly<Record<string, Check>>): Check {
  return (value) =>
    typeof value === 'object' &&
    value !== null &&
    Object.entries(checks).every(([name, check]) => check((value as Record<string, unknown>)[name]));
}
