// Makes one file of the page: style, script and worker are in it, and its policy lets it load nothing else.

import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const folder = join(root, 'page');

/** The bundle of a file of the page as text. The library comes from its package. */
async function bundled(file) {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [join(folder, file)],
    bundle: true,
    minify: true,
    // A worker that is a module does not start from a page that is a file.
    format: 'iife',
    platform: 'browser',
    target: 'es2022',
    legalComments: 'none',
    // Chunks that only Node loads are not a part of the page.
    external: ['node:*'],
    logOverride: { 'ignored-bare-import': 'silent', 'empty-import-meta': 'silent' },
    logLevel: 'warning',
    write: false,
  });
  // The text ends with a line break, and an end of an element within a script would end the script.
  return outputFiles[0].text.trim().replaceAll('</script', '<\\/script');
}

function digestOf(text) {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

/** Puts a text in place of a comment. The function keeps `$` in the text from having a meaning. */
function filled(html, name, text) {
  const mark = `<!-- ${name} -->`;
  if (!html.includes(mark)) throw new Error(`page/index.html has no ${mark}`);
  return html.replace(mark, () => text);
}

/** Builds the page. @returns its path */
export async function buildPage() {
  const [style, script, worker] = await Promise.all(['style.css', 'main.ts', 'worker.ts'].map(bundled));
  const policy = [
    "default-src 'none'",
    `style-src ${digestOf(style)}`,
    `script-src ${digestOf(script)} 'wasm-unsafe-eval' blob:`,
    'worker-src blob:',
  ].join('; ');
  const texts = {
    policy: `<meta http-equiv="Content-Security-Policy" content="${policy}" />`,
    style: `<style>${style}</style>`,
    script: `<script type="text/plain" id="worker">${worker}</script>\n    <script>${script}</script>`,
  };
  const template = readFileSync(join(folder, 'index.html'), 'utf8');
  const html = Object.entries(texts).reduce((text, [name, value]) => filled(text, name, value), template);
  const path = join(folder, 'dist/index.html');
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, html);
  return path;
}
