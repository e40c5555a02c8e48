// Real streams of the comparison with rivals: texts of Debian packages, and files of lines.

import { basename } from 'node:path';
import { corpora, documentsOf } from './debian.mjs';
import { readStored } from './storedfile.mjs';
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

function elementsOf({ name, folder, path }) {
  if (path !== undefined) return readStored(path).toString('latin1').split('\n');
  const { corpus, separator } = texts[name];
  return documentsOf(corpus, folder).flatMap((text) => text.split(separator));
}

/** The stream of a source, or its beginning. Blank elements are left out. */
export function realStream({ source, count = MAX_ELEMENTS }) {
  const elements = elementsOf(source).filter((element) => element.trim() !== '');
  return wordStream(elements.slice(0, Math.min(count, MAX_ELEMENTS)));
}
