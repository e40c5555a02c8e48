// Corpora of real documents from Debian packages, which `apt-get download` fetches. Only the recipe is kept here.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readStored } from './storedfile.mjs';

/** The text of a page: without scripts, tags and the most frequent entities. */
function pageText(bytes) {
  return bytes
    .toString('latin1')
    .replace(/<(script|style)\b[\s\S]*?<\/\1>/gi, ' ')
    .replace(/<[^>]*>/g, ' ')
    .replace(/&(nbsp|lt|gt|amp|quot|#\d+);/g, ' ');
}

function manualText(bytes) {
  return bytes.toString('latin1');
}

const isPage = (path) => /\.html?(\.gz)?$/.test(path);
const isManual = (path) => path.includes('/man/');

export const corpora = [
  {
    name: 'HTML pages',
    packages: ['postgresql-doc-15', 'git-doc', 'libglib2.0-doc', 'libgtk-3-doc', 'python3.11-doc', 'rust-doc'],
    isWanted: isPage,
    textOf: pageText,
  },
  {
    name: 'manual pages',
    packages: ['manpages', 'manpages-dev', 'libssl-doc', 'perl-doc', 'libstdc++-12-doc', 'postgresql-doc-15'],
    isWanted: isManual,
    textOf: manualText,
  },
  {
    name: 'Chinese and Japanese manual pages',
    packages: ['manpages-zh', 'manpages-ja'],
    isWanted: isManual,
    textOf: manualText,
  },
  {
    // Half of the pages that are near another one are within 0.02 of 0.8, because they share a template.
    name: 'HTML pages of Java and C++',
    packages: ['libstdc++-12-doc', 'openjdk-17-doc'],
    isWanted: isPage,
    textOf: pageText,
  },
];

/** The translations in a file of messages (GNU gettext, mo), one on a line. The first one is its header. */
function messageText(bytes) {
  const [count, table] = [bytes.readUInt32LE(8), bytes.readUInt32LE(16)];
  const messages = Array.from({ length: count }, (_, i) => {
    const [length, start] = [bytes.readUInt32LE(table + 8 * i), bytes.readUInt32LE(table + 8 * i + 4)];
    return bytes.toString('latin1', start, start + length);
  });
  return messages.slice(1).join('\n');
}

const isMessages = (path) => path.endsWith('.mo');

/** Text in scripts that are written without blanks. */
export const blanklessCorpora = [
  { name: 'Chinese', packages: ['manpages-zh'], isWanted: isManual, textOf: manualText },
  { name: 'Japanese', packages: ['manpages-ja'], isWanted: isManual, textOf: manualText },
  { name: 'Thai', packages: ['libreoffice-l10n-th'], isWanted: isMessages, textOf: messageText },
  { name: 'Khmer', packages: ['libreoffice-l10n-km'], isWanted: isMessages, textOf: messageText },
];

/** The folder with the files of a package, which is fetched when it is first asked for. */
function packageFolder(folder, name) {
  const target = join(folder, 'files', name);
  if (existsSync(target)) return target;
  const packages = join(folder, 'packages');
  // dpkg-deb makes only the last folder of a path.
  for (const needed of [packages, join(folder, 'files')]) mkdirSync(needed, { recursive: true });
  execFileSync('apt-get', ['download', '-q', name], { cwd: packages, stdio: ['ignore', 'ignore', 'inherit'] });
  const file = readdirSync(packages).find((found) => found.startsWith(`${name}_`));
  execFileSync('dpkg-deb', ['-x', join(packages, file), target]);
  return target;
}

function filesBelow(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** The documents of a corpus in order, as texts with one character for each byte. `folder` keeps what was fetched. */
export function documentsOf({ packages, isWanted, textOf }, folder) {
  return packages.flatMap((name) => {
    const paths = filesBelow(packageFolder(folder, name)).filter(isWanted);
    return paths.map((path) => textOf(readStored(path)));
  });
}

/** The documents of a corpus in order, as text. */
export function textsOf(corpus, folder) {
  return documentsOf(corpus, folder).map((text) => Buffer.from(text, 'latin1').toString());
}
