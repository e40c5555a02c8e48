// Generates the text of src/kernel/abi.ts from sample bindings and exports.

import { describe, expect, test } from 'vitest';
import { abiText, laboratoryTables, libraryTables, parseBindings } from '../abi.mjs';

const bindings = `declare namespace __AdaptedExports {
  /** Exported memory */
  export const memory: WebAssembly.Memory;
  /** assembly/lib/memory/CELLS_OFFSET */
  export const CELLS_OFFSET: {
    /** @type \`u32\` */
    get value(): number
  };
  /** assembly/lib/memory/GOLDEN */
  export const GOLDEN: {
    /** @type \`u64\` */
    get value(): bigint
  };
  /**
   * assembly/detectors/one/oneObserve
   * @param fingerprints \`u32\`
   * @param _count \`u32\`
   * @returns \`u32\`
   */
  export function oneObserve(fingerprints: number, _count: number): number;
  /**
   * assembly/detectors/one/oneCheck
   * @returns \`u32\`
   */
  export function oneCheck(): number;
  /**
   * assembly/detectors/onetwo/onetwoObserve
   * @param fingerprints \`u32\`
   * @param count \`u32\`
   * @returns \`u32\`
   */
  export function onetwoObserve(fingerprints: number, count: number): number;
  /**
   * assembly/near/three/threeSign
   */
  export function threeSign(): void;
  /**
   * assembly/streams/four/fourNext
   * @param count \`u32\`
   */
  export function fourNext(count: number): void;
}
`;
const exported = { CELLS_OFFSET: { value: -65536 }, GOLDEN: { value: -1n } };
const files = {
  'assembly/detectors': ['one', 'onetwo'],
  'assembly/near': ['three', 'helper'],
  'assembly/streams': ['four'],
};

function textOf(declared, folders = files) {
  return abiText(parseBindings(declared), exported, (folder) => folders[folder], [
    ...libraryTables,
    ...laboratoryTables,
  ]);
}

describe('the text of abi.ts', () => {
  const text = textOf(bindings);

  test.each([
    ['an unsigned constant', 'export const CELLS_OFFSET = 0xffff0000;'],
    ['a constant of 64 bits', 'export const GOLDEN = 18446744073709551615n;'],
    ['a function with its parameters', '  oneObserve(fingerprints: number, count: number): number;'],
    ['a function that returns nothing', '  threeSign(): void;'],
    ['a member that every file has', '  observe(fingerprints: number, count: number): number;'],
    ['a member that not every file has', '  check?(): number;'],
    [
      'a row for a file whose name starts with the name of another file',
      '  onetwo: (kernel: KernelExports): DetectorExports => ({ observe: kernel.onetwoObserve }),',
    ],
  ])('contains %s', (_what, expected) => {
    expect(text).toContain(expected);
  });

  test('has no row for a file without the member of its table', () => {
    expect(text).not.toContain('helper');
  });
});

describe('an error is thrown', () => {
  test('if the kernel exports a variable', () => {
    const variable = bindings.replace('get value(): bigint', 'get value(): bigint;\n    set value(value: bigint);');
    expect(() => textOf(variable)).toThrow('the kernel exports the variable GOLDEN');
  });

  test('if a family has no observe function', () => {
    const folders = { ...files, 'assembly/detectors': ['one', 'onetwo', 'five'] };
    expect(() => textOf(bindings, folders)).toThrow('assembly/detectors/five.ts exports no function fiveObserve');
  });

  test('if the functions of two families return different types', () => {
    const odd = bindings.replace('onetwoObserve(fingerprints: number, count: number): number', 'onetwoObserve(): void');
    expect(() => textOf(odd)).toThrow('onetwoObserve returns void, but oneObserve returns number');
  });
});
