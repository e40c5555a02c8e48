// Minified code has lines of some hundred characters, and does the same.

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { withLines } from '../build/lines.mjs';

const library = fileURLToPath(new URL('../../packages/firstseen/dist/index.js', import.meta.url));
const statements = Array.from({ length: 60 }, (_, i) => `total+=${i};`).join('');
const members = Array.from({ length: 60 }, (_, i) => `m${i}(){return ${i}}`).join('');
// biome-ignore lint/suspicious/noTemplateCurlyInString: the template is a part of the code
const text = 'const text=`a;b {c}\n${(()=>{let d="e;f";return d})()}`;';
const code = `let total=0;${text}class All{${members}}function add(){${statements}return total}if(add())total+=new All().m59();result=[total,text];`;

function resultOf(source) {
  return new Function(`let result;${source}return result`)();
}

describe('lines', () => {
  test('are broken between statements and members', () => {
    const broken = withLines(code);
    expect(broken.replaceAll('\n', '')).toBe(code.replaceAll('\n', ''));
    expect(Math.max(...broken.split('\n').map((line) => line.length))).toBeLessThan(250);
    expect(resultOf(broken)).toEqual(resultOf(code));
  });

  test('of the library do not hide the message of an error that is not caught', () => {
    const program = `import { create } from ${JSON.stringify(library)};\n(await create({ memory: 1024 })).observe({});`;
    const { stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
    expect(stderr).toContain('E_KEY');
    expect(stderr.length).toBeLessThan(4000);
  });
});
