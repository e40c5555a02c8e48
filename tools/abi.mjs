// Writes src/kernel/abi.ts of a package, the interface of its kernel in TypeScript: the constants, the functions with the names
// and types of their parameters, and the functions of each family or stream without their prefix. The names and types come from
// the bindings that the AssemblyScript compiler writes; the values come from the module.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/**
 * Folders of `assembly/` whose files export functions with the file name as prefix (`rlbsbfObserve`). A file with the function
 * `member` is a row of the table. If `isWhole` is set, every file of the folder must be a row.
 */
export const libraryTables = [
  { folder: 'assembly/detectors', row: 'detector', member: 'observe', isWhole: true },
  { folder: 'assembly/near', row: 'signature', member: 'sign', isWhole: false },
];
export const laboratoryTables = [{ folder: 'assembly/streams', row: 'stream', member: 'next', isWhole: true }];

const CONSTANT =
  /\/\*\* (\S+)\/\w+ \*\/\s+export const (\w+): \{\s+\/\*\* @type `(\w+)` \*\/\s+get value\(\): \w+;?\s*(set )?/g;
const FUNCTION = /\/\*\*\s+\* (\S+)\/\w+\n(?:(?!\*\/)[\s\S])*?\*\/\s+export function (\w+)\((.*?)\): (\w+);/g;

/** Parses bindings into `constants` of { file, name, type } and `functions` of { file, name, parameters, result }. */
export function parseBindings(text) {
  const constants = [...text.matchAll(CONSTANT)].map(([, file, name, type, isMutable]) => {
    if (isMutable) throw new Error(`the kernel exports the variable ${name}; export constants and functions alone`);
    return { file, name, type };
  });
  const functions = [...text.matchAll(FUNCTION)].map(([, file, name, list, result]) => {
    const parameters = list === '' ? [] : list.split(', ').map((parameter) => parameter.split(': '));
    return { file, name, result, parameters: parameters.map(([label, type]) => [label.replace(/^_+/, ''), type]) };
  });
  return { constants, functions };
}

/** The value of an exported constant as source text. The module exports 32-bit globals as signed numbers. */
function literal({ name, type }, exported) {
  const { value } = exported[name];
  if (type === 'u32') return name.endsWith('_OFFSET') ? `0x${(value >>> 0).toString(16)}` : String(value >>> 0);
  if (type === 'u64') return `${BigInt.asUintN(64, value)}n`;
  if (type === 'i64') return `${value}n`;
  return String(value);
}

function parameterList({ parameters }) {
  return parameters.map(([label, type]) => `${label}: ${type}`).join(', ');
}

function typesOf({ parameters, result }) {
  return [...parameters.map(([, type]) => type), result].join(', ');
}

/** The functions of one file, by name without the prefix. */
function membersOf(prefix, functions) {
  const members = functions
    .filter(({ name }) => name.startsWith(prefix) && /^[A-Z]/.test(name.slice(prefix.length)))
    .map((declared) => {
      const rest = declared.name.slice(prefix.length);
      return [`${rest[0].toLowerCase()}${rest.slice(1)}`, declared];
    });
  return Object.fromEntries(members);
}

/**
 * The rows of a table: { name, members } for each file that has the table's member.
 * @throws Error if `isWhole` is set and a file lacks the member.
 */
export function rowsOf({ folder, member, isWhole }, names, functions) {
  const rows = names.map((name) => ({ name, members: membersOf(name, functions) }));
  const lacking = rows.find(({ members }) => !members[member]);
  if (isWhole && lacking) {
    const wanted = `${lacking.name}${member[0].toUpperCase()}${member.slice(1)}`;
    throw new Error(`${folder}/${lacking.name}.ts exports no function ${wanted}`);
  }
  return rows.filter(({ members }) => members[member]);
}

/**
 * The signature of a member for all rows: `...parameters: number[]` if the parameters differ between rows.
 * @throws Error if the results differ.
 */
function signatureOf(member, rows) {
  const declared = rows.map(({ members }) => members[member]).filter(Boolean);
  const [first] = declared;
  const odd = declared.find(({ result }) => result !== first.result);
  if (odd) throw new Error(`${odd.name} returns ${odd.result}, but ${first.name} returns ${first.result}`);
  const isAlike = declared.every((other) => typesOf(other) === typesOf(first));
  const mark = declared.length < rows.length ? '?' : '';
  return `${member}${mark}(${isAlike ? parameterList(first) : '...parameters: number[]'}): ${first.result};`;
}

function tableText({ folder, row }, rows) {
  const type = `${row[0].toUpperCase()}${row.slice(1)}Exports`;
  const members = [...new Set(rows.flatMap((found) => Object.keys(found.members)))];
  return `/** What a file of ${folder}/ exports, by the names without the file's name as a prefix. */
export interface ${type} {
${members.map((member) => `  ${signatureOf(member, rows)}`).join('\n')}
}

export const ${row}Exports = {
${rows
  .map(({ name, members: own }) => {
    const pairs = Object.entries(own).map(([member, { name: full }]) => `${member}: kernel.${full}`);
    return `  ${name}: (kernel: KernelExports): ${type} => ({ ${pairs.join(', ')} }),`;
  })
  .join('\n')}
};

export type ${row[0].toUpperCase()}${row.slice(1)}Name = keyof typeof ${row}Exports;
`;
}

/** Lines of text grouped by the file that declares them. */
function byFile(declared, text) {
  const files = [...new Set(declared.map(({ file }) => file))];
  return files.map((file) => ({ file, lines: declared.filter((one) => one.file === file).map(text) }));
}

/**
 * The text of abi.ts.
 * @param bindings what `parseBindings` found
 * @param exported the exports of an instance of the module
 * @param filesOf returns the names of the files of a folder, without their extension
 * @param tables the tables of the package
 */
export function abiText({ constants, functions }, exported, filesOf, tables) {
  const values = byFile(constants, (one) => `export const ${one.name} = ${literal(one, exported)};`);
  const methods = byFile(functions, (one) => `  ${one.name}(${parameterList(one)}): ${one.result};`);
  return `// Written by tools/abi.mjs from the compiled kernel; not to be edited.

${values.map(({ file, lines }) => `// ${file}.ts\n${lines.join('\n')}\n`).join('\n')}
/** The functions of the kernel. Unsigned 32-bit results arrive as signed numbers: convert an address with \`>>> 0\`. */
export interface KernelExports {
${methods.map(({ file, lines }) => `  // ${file}.ts\n${lines.join('\n')}`).join('\n')}
}

${tables.map((table) => tableText(table, rowsOf(table, filesOf(table.folder), functions))).join('\n')}`;
}

/**
 * Writes src/kernel/abi.ts of the package at `root` from the module and bindings in its folder build/, as the compiler has written
 * them: the module still exports the constants.
 */
export function writeAbi(root, { tables }) {
  const module = new WebAssembly.Module(readFileSync(join(root, 'build/kernel.release.wasm')));
  const memory = new WebAssembly.Memory({ initial: 65535, maximum: 65535 });
  const { exports: exported } = new WebAssembly.Instance(module, {
    env: { memory, abort() {} },
    equal: { equalKey() {} },
  });
  const bindings = parseBindings(readFileSync(join(root, 'build/kernel.release.d.ts'), 'utf8'));
  const declared = [...bindings.constants, ...bindings.functions].map(({ name }) => name).sort();
  const found = Object.keys(exported).filter((name) => exported[name] !== memory);
  if (declared.join() !== found.sort().join()) throw new Error('the bindings and the module disagree on the exports');
  const filesOf = (folder) =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith('.ts'))
      .map((name) => basename(name, '.ts'));
  writeFileSync(join(root, 'src/kernel/abi.ts'), abiText(bindings, exported, filesOf, tables));
}
