// Real streams of the comparison with rivals: texts of Debian packages, and files of lines.

import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { corpora, documentsOf } from './debian.mjs';
import { wordStream } from './streams.mjs';

/** Longer streams end here. */
const MAX_ELEMENTS = 400_000;

const [pages, manuals] = corpora;

const texts = {
  'words of the pages of git-doc': { corpus: { ...pages, packages: ['git-doc'] }, separator: /\s+/ },
  'lines of the manual pages of manpages-dev': { corpus: { ...manuals, packages: ['manpages-dev'] }, separator: '\n' },
};

/** What the threads need to read each real stream: those of packages, which `folder` keeps, and the files. */
export function realSources({ folder, files }) {
  return [
    ...Object.keys(texts).map((name) => ({ name, folder })),
    ...files.map((path) => ({ name: `lines of ${basename(path)}`, path })),
  ];
}

function linesOf(path) {
  const stored = readFileSync(path);
  const isCompressed = stored[0] === 0x1f && stored[1] === 0x8b;
  return (isCompressed ? gunzipSync(stored) : stored).toString('latin1').split('\n');
}

function elementsOf({ name, folder, path }) {
  if (path !== undefined) return linesOf(path);
  const { corpus, separator } = texts[name];
  return documentsOf(corpus, folder).flatMap((text) => text.split(separator));
}

/** The stream of a source, or its beginning. Blank elements are left out. */
export function realStream({ source, count = MAX_ELEMENTS }) {
  const elements = elementsOf(source).filter((element) => element.trim() !== '');
  return wordStream(elements.slice(0, Math.min(count, MAX_ELEMENTS)));
}
