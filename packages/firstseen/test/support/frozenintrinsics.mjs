// Freezes the objects of the language, as SES and `node --frozen-intrinsics` do, but without their allowances for assignments to what an
// object inherits.

const functions = [async () => undefined, function* generator() {}, async function* asyncGenerator() {}];
const roots = [
  ...functions.map((each) => each.constructor),
  ...[Object, Function, Array, String, Number, Boolean, BigInt, Symbol, RegExp, Date, Promise, Proxy],
  ...[Map, Set, WeakMap, WeakSet, WeakRef, FinalizationRegistry],
  ...[Error, TypeError, RangeError, SyntaxError, AggregateError],
  ...[ArrayBuffer, SharedArrayBuffer, DataView, Uint8Array, Uint32Array, Float64Array, BigUint64Array],
  ...[Reflect, JSON, Math, WebAssembly.Memory, WebAssembly.Instance, WebAssembly.Module],
  ...[[].values(), new Map().values(), new Set().values(), ''[Symbol.iterator](), functions[1](), functions[2]()],
];

const found = new Set();
for (let waiting = roots; waiting.length > 0; ) {
  const value = waiting.pop();
  if (Object(value) !== value || found.has(value)) continue;
  found.add(value);
  const members = Object.values(Object.getOwnPropertyDescriptors(value));
  waiting = [
    ...waiting,
    Object.getPrototypeOf(value),
    ...members.flatMap(({ value: own, get, set }) => [own, get, set]),
  ];
}
for (const value of found) Object.freeze(value);
