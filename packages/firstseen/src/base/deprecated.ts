// Functions that have another name or place now, and work until version 1.0.

/** The codes of the warnings, which `process.on('warning')` and `--trace-deprecation` show. A code is never used for another function. */
const codes = {
  createMotifs: 'FIRSTSEEN_DEP0001',
  createNear: 'FIRSTSEEN_DEP0002',
  loadFrom: 'FIRSTSEEN_DEP0003',
  loadMotifs: 'FIRSTSEEN_DEP0004',
  loadNear: 'FIRSTSEEN_DEP0005',
  merge: 'FIRSTSEEN_DEP0006',
  plan: 'FIRSTSEEN_DEP0007',
  planMeasured: 'FIRSTSEEN_DEP0008',
  planSync: 'FIRSTSEEN_DEP0009',
  repartition: 'FIRSTSEEN_DEP0010',
  saveTo: 'FIRSTSEEN_DEP0011',
  split: 'FIRSTSEEN_DEP0012',
} as const;

const told = new Set<string>();

/** Warns once that a name is deprecated, where the platform has warnings of processes, as Node, Deno and Bun do. */
function warnDeprecated(name: keyof typeof codes, instead: string): void {
  const code = codes[name];
  if (told.has(code)) return;
  told.add(code);
  try {
    globalThis.process?.emitWarning?.(`${name} of firstseen is deprecated: use ${instead}`, 'DeprecationWarning', code);
  } catch {
    // Node cannot make a warning where the intrinsics are frozen. The function works all the same.
  }
}

/** A function that does the same, and warns at its first call. */
export function deprecated<Call extends (...args: never[]) => unknown>(
  name: keyof typeof codes,
  call: Call,
  instead: string,
): Call {
  return ((...args) => {
    warnDeprecated(name, instead);
    return call(...args);
  }) as Call;
}
