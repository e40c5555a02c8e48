import { expect, test } from 'vitest';
import { expectations } from '../../../src/reproduce/predict.js';
import { measurementOf } from './support.js';

const { spec: small } = measurementOf({});
const spec = { ...small, stream: { ...small.stream, lengthElements: 1_000_000 } };

test('the limit of a run is taken at its measured rate of false positives', async () => {
  const { expectedOf, minFnrOf } = expectations();
  const least = await minFnrOf(spec);
  expect(least(0.1)).toBeLessThan(least(0.01));
  for (const fpr of [0.01, 0.1]) expect((await expectedOf(spec, fpr)).limit).toEqual({ fnr: least(fpr) });
  expect((await expectedOf(spec, undefined)).limit).toEqual({});
});

test('identifiers have neither a prediction nor a limit', async () => {
  expect(await expectations().expectedOf({ ...spec, identity: 'identifier' }, 0.1)).toEqual({
    predicted: {},
    limit: {},
  });
});
