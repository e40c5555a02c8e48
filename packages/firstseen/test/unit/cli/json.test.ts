import { expect, test } from 'vitest';
import { snakeCase } from '../../../src/cli/json.js';

test('names become snake_case at every depth, in their order', () => {
  const data = { tooLong: 1, records: 2, byGap: [{ gapToElements: 3 }], witness: null, a: { bC: 'dE' } };
  expect(JSON.stringify(snakeCase(data))).toBe(
    '{"too_long":1,"records":2,"by_gap":[{"gap_to_elements":3}],"witness":null,"a":{"b_c":"dE"}}',
  );
});

test('names that are data are not changed', () => {
  const data = {
    ...{ parameters: { K: 2, "r'": 3 }, settings: { documentBytes: 8 }, inputs: [{ isFile: true }] },
    ...{ outputs: [{ isCompressed: false }], isFinished: true },
  };
  expect(snakeCase(data)).toEqual(data);
});

test('a getter is called once', () => {
  let reads = 0;
  const data = {
    get load() {
      return ++reads;
    },
  };
  expect(JSON.stringify(snakeCase(data))).toBe('{"load":1}');
  expect(reads).toBe(1);
});
