// Which files of the packed library Metro, the bundler of React Native, resolves its entries to.

import { existsSync, lstatSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { libraryFolder, pathOf } from './support/runtime.js';

/** As much of the package as is used here. */
type Resolve = (context: object, name: string, platform: string) => { type: string; filePath: string };

function packageOf(path: string) {
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : null;
}

/** The package that has a file, or that a path without a file is. */
function packageWith(path: string) {
  for (let folder = path; folder !== dirname(folder); folder = dirname(folder)) {
    const packageJson = packageOf(join(folder, 'package.json'));
    if (packageJson) return { packageJson, rootPath: folder, packageRelativePath: path.slice(folder.length + 1) };
  }
  return null;
}

/** How React Native asks Metro to resolve. */
function contextOf(originModulePath: string, hasExports: boolean, isESMImport: boolean): object {
  return {
    ...{ originModulePath, allowHaste: false, assetExts: new Set(), customResolverOptions: {}, dev: false },
    ...{ disableHierarchicalLookup: false, extraNodeModules: {}, nodeModulesPaths: [], preferNativePlatform: true },
    ...{ mainFields: ['react-native', 'browser', 'main'], sourceExts: ['js', 'jsx', 'json', 'ts', 'tsx'] },
    doesFileExist: (path: string) => existsSync(path) && lstatSync(path).isFile(),
    fileSystemLookup: (path: string) => {
      if (!existsSync(path)) return { exists: false };
      return { exists: true, type: lstatSync(path).isDirectory() ? 'd' : 'f', realPath: realpathSync(path) };
    },
    getPackage: packageOf,
    getPackageForModule: packageWith,
    redirectModulePath: (path: string) => path,
    resolveAsset: () => null,
    resolveHasteModule: () => undefined,
    resolveHastePackage: () => undefined,
    isESMImport,
    unstable_conditionNames: ['react-native'],
    unstable_conditionsByPlatform: { web: ['browser'] },
    unstable_enablePackageExports: hasExports,
    unstable_logWarning: () => undefined,
  };
}

/** The file that Metro takes for a name. */
function fileOf(resolve: Resolve, name: string, hasExports: boolean, isESMImport: boolean): string {
  return resolve(contextOf(join(libraryFolder, 'program.js'), hasExports, isESMImport), name, 'android').filePath;
}

test.each([
  { hasExports: true, isESMImport: true, first: /dist.index\.js$/ },
  { hasExports: true, isESMImport: false, first: /dist.index\.cjs$/ },
  { hasExports: false, isESMImport: true, first: /dist.index\.cjs$/ },
])('resolves the library: %o', async ({ hasExports, isESMImport, first }) => {
  const { resolve } = (await import(pathToFileURL(pathOf('Metro')).href)) as { resolve: Resolve };
  expect(fileOf(resolve, 'firstseen', hasExports, isESMImport)).toMatch(first);
});

test.each(['near', 'motifs', 'plan', 'partitions', 'errors'])('resolves the entry firstseen/%s', async (entry) => {
  const { resolve } = (await import(pathToFileURL(pathOf('Metro')).href)) as { resolve: Resolve };
  expect(fileOf(resolve, `firstseen/${entry}`, true, true)).toMatch(new RegExp(`dist.${entry}\\.js$`));
});
