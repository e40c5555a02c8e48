// The defects that the other tests must find are changes of texts of the built server, which are there.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { missingDefects } from '../../tools/support/defects.mjs';
import * as defects from './support/defects.mjs';

test('the built server has the texts of all defects', () => {
  assert.deepEqual(missingDefects({ ...defects }), []);
});
