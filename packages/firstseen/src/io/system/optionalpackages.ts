// Packages that most users do not need. They are optional, and loaded only when a run needs them.

import { FirstseenError } from '../../base/errors.js';

/** The use of optional packages. */
export interface PackageUse {
  /** `Parquet` */
  what: string;
  packages: readonly string[];
  /** The alternative to installing them. */
  alternative?: string;
}

function isMissing(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === 'ERR_MODULE_NOT_FOUND';
}

/** @throws FirstseenError E_PACKAGE when a package is not installed. */
export async function loadedPackages<Modules>(
  { what, packages, alternative }: PackageUse,
  load: () => Promise<Modules>,
): Promise<Modules> {
  try {
    return await load();
  } catch (cause) {
    if (!isMissing(cause)) throw cause;
    const missingPackages =
      packages.length === 1 ? `package ${packages[0]}, which is` : `packages ${packages.join(', ')}, which are`;
    const install = `run npm install ${packages.join(' ')}, with -g if firstseen was installed with -g`;
    const remedy = alternative === undefined ? install : `${install}, or ${alternative}`;
    throw new FirstseenError('E_PACKAGE', `${what} needs the ${missingPackages} not installed`, { remedy, cause });
  }
}
