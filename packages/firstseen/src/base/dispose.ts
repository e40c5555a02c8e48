// The symbols of `using` and `await using`, where the platform has them.

declare global {
  /** Merges with the type of the platform, for programs whose library of types does not have the symbols. */
  interface SymbolConstructor {
    /** The key of what releases an object at the end of `using`. */
    readonly dispose: unique symbol;
    /** The key of what releases an object at the end of `await using`. */
    readonly asyncDispose: unique symbol;
  }
}

/** `Symbol.dispose`. Some browsers, and Node before 20.4, have no such symbol; then it is one that nobody else can have. */
export const dispose: typeof Symbol.dispose = Symbol.dispose ?? Symbol('Symbol.dispose');

/** `Symbol.asyncDispose`, in the same way. */
export const asyncDispose: typeof Symbol.asyncDispose = Symbol.asyncDispose ?? Symbol('Symbol.asyncDispose');
