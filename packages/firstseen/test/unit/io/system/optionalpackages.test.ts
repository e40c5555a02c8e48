import { expect, test } from 'vitest';
import { loadedPackages } from '../../../../src/io/system/optionalpackages.js';

function missing(): Promise<never> {
  return Promise.reject(Object.assign(new Error('missing'), { code: 'ERR_MODULE_NOT_FOUND' }));
}

test('packages that are not installed are named, with what installs them', async () => {
  await expect(loadedPackages({ what: 'It', packages: ['a', 'b'] }, missing)).rejects.toMatchObject({
    code: 'E_PACKAGE',
    message:
      'It needs the packages a, b, which are not installed; run npm install a b, with -g if firstseen was installed with -g',
  });
  const one = { what: 'It', packages: ['a'], alternative: 'do without' };
  await expect(loadedPackages(one, missing)).rejects.toThrow(
    /^It needs the package a, which is not installed; run npm install a, .*, or do without$/,
  );
});

test('another error of a package stays as it is', async () => {
  const error = new Error('broken');
  await expect(loadedPackages({ what: 'It', packages: ['a'] }, () => Promise.reject(error))).rejects.toBe(error);
});
