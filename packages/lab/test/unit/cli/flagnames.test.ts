import { expect, test } from 'vitest';
import { flagOfLabOption } from '../../../src/cli/flagnames.js';

test.each([
  ['stream.lengthElements', '--length'],
  ['stream.settings.distinctShare', '--distinct'],
  ['stream.settings.universeElements', '--set universeElements'],
  ['byGap', '--by-gap'],
  ['identity', '--identity'],
  ['memory', '--memory'],
  ['parameters.K', '--param K'],
  ['--jobs', '--jobs'],
])('%s is %s', (option, flag) => expect(flagOfLabOption(option)).toBe(flag));
