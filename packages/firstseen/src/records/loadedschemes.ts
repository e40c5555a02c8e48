// What makes key schemes, which most programs of `create` do not need. A bundle loads it when keys are described.

let loaded: unknown;

/** Set when the code is loaded. A service worker cannot load it later, so code that is already loaded is used. */
export function schemesAreLoaded<Maker>(make: Maker): void {
  loaded = make;
}

/** Returns the function that makes schemes, if it is loaded. */
export function loadedSchemes<Maker>(): Maker | undefined {
  return loaded as Maker | undefined;
}
