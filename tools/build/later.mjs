// Makes modules of CommonJS load when they are first used (docs/decisions/088-modules-loaded-later.md). Node compiles a module when it is
// required, so a module that most runs do not use costs each of them its compilation.

/**
 * Where a bundle requires a module at its top: the name that it has there, what is required, and what makes an ES module of it, if
 * the code uses it as one.
 */
const REQUIRED = /^(?:const|let) (\w+) = require\("([^"]+)"\);\n(?:\1 = (\S+)\(\1(, 1)?\);\n)?/gm;

/** The code of a chunk that requires some modules when it first reads something from them. `isLater` tells which. */
export function requiringLater(code, isLater) {
  const later = [...code.matchAll(REQUIRED)].filter(([, , id]) => isLater(id));
  return later.reduce((changed, [statement, name, id, copy, mode = '']) => {
    const loaded = copy === undefined ? `require("${id}")` : `${copy}(require("${id}")${mode})`;
    const rest = changed.replace(statement, '');
    // A name after a point is a member of something else, but one after three points is spread.
    const uses = new RegExp(`(?<![\\w$])(?<!(?<!\\.\\.)\\.)${name}(?![\\w$])`, 'g');
    return `let ${name}_loaded;\nconst ${name} = () => ${name}_loaded ??= ${loaded};\n${rest.replace(uses, `(${name}())`)}`;
  }, code);
}

/** An export of what another module exports, which is required later. */
const EXPORTED = /^exports\.(\w+) = (\(\w+\(\)\)\.\w+);$/gm;

/**
 * The code of a chunk that exports what a module has that is required later, and does not require it for that. If that module requires this
 * chunk, it may be loaded first, and has no exports yet.
 */
export function exportingLater(code) {
  return code.replace(EXPORTED, 'Object.defineProperty(exports, "$1", { enumerable: true, get: () => $2 });');
}
