// Modules of the CommonJS bundle that load when they are first used.

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { exportingLater, requiringLater } from '../../../../tools/build/later.mjs';
import { packageFolder } from '../support/folders.js';

/** The result of a chunk, and the order in which it required modules. */
function run(code: string): { result: unknown; required: string[] } {
  const required: string[] = [];
  const later = requiringLater(code, (id: string) => id.startsWith('later'));
  const modules = (id: string) => {
    required.push(id);
    return {
      value: id,
      Made: class {
        readonly of = id;
      },
    };
  };
  const wrap = (module: object) => ({ ...module, isWrapped: true });
  const result = new Function('require', 'wrap', `${later}\nreturn result();`)(modules, wrap);
  return { result, required };
}

const head = 'const one = require("early");\nlet other = require("later");\n';

describe('a module that loads later', () => {
  test('is required when it is first read, once', () => {
    const code = `${head}const result = () => { one.value; return other.value + other.value; };\nrequire("last");\n`;
    expect(run(code)).toEqual({ result: 'laterlater', required: ['early', 'last', 'later'] });
  });

  test('is not required if nothing reads it', () => {
    expect(run(`${head}const result = () => one.value;`).required).toEqual(['early']);
  });

  test('has classes that can be constructed and extended', () => {
    const code = `${head}const result = () => [new other.Made().of, new (class extends other.Made {})().of];`;
    expect(run(code).result).toEqual(['later', 'later']);
  });

  test('can be used as a whole, also as an ES module', () => {
    const code =
      'let other = require("later");\nother = wrap(other, 1);\nconst result = () => other.isWrapped && "value" in other;';
    expect(run(code).result).toBe(true);
  });

  test('can be spread', () => {
    const code = `${head}const result = () => [...other.value, Math.max(...other.value.length ? [1] : [])];`;
    expect(run(code).result).toEqual([...'later', 1]);
  });

  test('leaves names alone that contain its name, and members', () => {
    const code = `${head}const others = { other_: 1 };\nothers.other = 2;\nconst result = () => [others.other_, others.other];`;
    expect(run(code)).toEqual({ result: [1, 2], required: ['early'] });
  });

  test('is not required by what is exported of it', () => {
    const code = requiringLater(
      `${head}exports.given = other.value;\nexports.own = one.value;\n`,
      (id) => id === 'later',
    );
    const required: string[] = [];
    const exported: Record<string, unknown> = {};
    const modules = (id: string) => {
      required.push(id);
      return { value: id };
    };
    new Function('require', 'exports', exportingLater(code))(modules, exported);
    expect(required).toEqual(['early']);
    expect(exported).toMatchObject({ given: 'later', own: 'early' });
    expect(Object.keys(exported)).toEqual(['given', 'own']);
  });
});

/** Loads each chunk of a folder as the first one, and prints the warnings of Node. */
const LOADING = `
const { readdirSync } = require('node:fs');
process.on('warning', ({ message }) => console.log(message));
for (const name of readdirSync('.').filter((name) => name.endsWith('.cjs'))) {
  for (const path of Object.keys(require.cache)) delete require.cache[path];
  require(process.cwd() + '/' + name);
}`;

test('each chunk can be the first that is loaded: none needs what is not there yet', () => {
  const cwd = join(packageFolder, 'dist/chunks');
  const { status, stdout, stderr } = spawnSync(process.execPath, ['-e', LOADING], { cwd, encoding: 'utf8' });
  expect([status, stdout, stderr]).toEqual([0, '', '']);
});

test('the modules are ASCII, which V8 keeps in half the memory', () => {
  const names = ['run-create', 'run-node', 'command'].map((name) => `chunks/${name}.cjs`);
  for (const name of [...names, 'cli/main.js']) {
    expect([name, /[^\0-\x7f]/.exec(readFileSync(join(packageFolder, 'dist', name), 'utf8'))]).toEqual([name, null]);
  }
});
