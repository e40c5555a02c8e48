// The sources of the kernels: `assembly/` of each package, and `assembly-parquet/`, which is a kernel of its own.

const KERNEL_SOURCE = /^(packages\/[^/]+\/)assembly(?:-\w+)?\//;

/** Tells if a path, relative to the root, is a source of a kernel. */
export function isKernelSource(path) {
  return KERNEL_SOURCE.test(path);
}

/** The folder of the kernel that a source belongs to, and that of the TypeScript which calls it; undefined for other files. */
export function kernelFolders(path) {
  const [folder, parent] = KERNEL_SOURCE.exec(path) ?? [];
  return folder === undefined ? undefined : { assembly: folder.slice(0, -1), source: `${parent}src` };
}

/** Tells if a path, relative to the root, is a source of the product: of a kernel, or of what calls it. */
export function isProductSource(path) {
  return path.endsWith('.ts') && (isKernelSource(path) || /^packages\/[^/]+\/src\//.test(path));
}
