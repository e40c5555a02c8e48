// Modules of Node, where the platform hands them out (Node from 20.16).

/** The parts of the modules that the library uses. */
interface Modules {
  'node:diagnostics_channel': {
    channel(name: string): { readonly hasSubscribers: boolean; publish(message: unknown): void };
  };
  'node:zlib': { inflateRawSync(compressed: Uint8Array): Uint8Array };
}

/**
 * A module of Node; undefined elsewhere. Some platforms have a `process` whose members throw when they are read or called, as the edge
 * runtime of Next.js does.
 */
export function builtinModule<Name extends keyof Modules>(name: Name): Modules[Name] | undefined {
  try {
    return globalThis.process?.getBuiltinModule?.(name) as Modules[Name] | undefined;
  } catch {
    return undefined;
  }
}
