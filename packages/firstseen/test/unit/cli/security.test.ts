import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readSecurity } from '../../../src/cli/serve/security.js';
import { tokenAdminFile, tokenObserveFile } from '../../../src/options/serve.js';
import { Settings } from '../../../src/options/settings.js';
import { temporaryFolder } from '../../cli/support/command.js';

test.skipIf(process.platform === 'win32')('a file that two options name is told of once', async () => {
  const path = join(temporaryFolder(), 'tokens');
  writeFileSync(path, 'token-0123456789\n');
  chmodSync(path, 0o644);
  const named = [tokenObserveFile, tokenAdminFile].map(
    (row) => [row.name, { value: path, origin: row.flag, rank: 0 }] as const,
  );
  const warnings: string[] = [];
  const reading = readSecurity(new Settings(new Map(named)), (message) => void warnings.push(message));
  await expect(reading).rejects.toThrow('the roles observe and admin have a token in common');
  expect(warnings).toEqual([expect.stringContaining('every user of this machine can read')]);
});
