// Links between the documents lead to files and headings that exist, and decisions name code that exists.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, it } from 'vitest';
import { repositoryFolder } from '../support/folders.js';

const documented = ['docs', 'docs/command', 'docs/reference', 'docs/decisions'];
const folders = ['.', ...documented, 'examples', 'packages/firstseen', 'packages/lab'];
const documents = folders.flatMap((folder) =>
  readdirSync(join(repositoryFolder, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name)),
);

function textOf(path: string): string {
  return readFileSync(join(repositoryFolder, path), 'utf8');
}

/** The anchors that a document names, and that of each heading, as GitHub makes it. */
function anchorsOf(path: string): string[] {
  const named = [...textOf(path).matchAll(/<a id="([^"]+)">/g)].map(([, id]) => id as string);
  const headings = [...textOf(path).matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    (heading as string)
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
  return [...named, ...headings];
}

it.each(documents)('%s', (document) => {
  const links = [...textOf(document).matchAll(/\]\((?!https?:)([^()\s#]*)(?:#([^()\s]+))?\)/g)];
  const broken = links.filter(([, file, anchor]) => {
    const target = file ? normalize(join(dirname(document), decodeURI(file))) : document;
    if (!existsSync(join(repositoryFolder, target))) return true;
    return anchor !== undefined && target.endsWith('.md') && !anchorsOf(target).includes(anchor);
  });
  expect(broken.map(([link]) => link)).toEqual([]);
});

const decisions = documents.filter((path) => /decisions[\\/]\d/.test(path));

it.each(decisions)('%s names the places of its code', (document) => {
  const [beginning = ''] = textOf(document).split('\n## ');
  const places = [...beginning.matchAll(/`((?:packages|tools|bench|engines|examples|docs)\/[^`]*)`/g)].map(
    ([, at]) => at as string,
  );
  expect(places.filter((place) => !existsSync(join(repositoryFolder, place)))).toEqual([]);
});
