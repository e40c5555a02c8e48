// Whether what a version is written in agrees. Pure functions: they take what was read, and return problems as text.

/** Heads of CHANGELOG.md, such as `## [0.1.0] - 2026-11-21`, as { version, date }. */
function changelogHeads(changelog) {
  const heads = changelog.matchAll(/^## \[([^\]]+)\](?: - (\d{4}-\d{2}-\d{2}))?\s*$/gm);
  return [...heads].map(([, version, date]) => ({ version, date }));
}

/** The places that name a version, as [place, version]. */
function placesOf({ library, laboratory, jsr, lock }) {
  return [
    ['packages/firstseen/package.json', library.version],
    ['packages/lab/package.json', laboratory.version],
    ['packages/lab/package.json, peerDependencies', laboratory.peerDependencies?.firstseen],
    ['packages/lab/package.json, devDependencies', laboratory.devDependencies?.firstseen],
    ['packages/firstseen/jsr.json', jsr.version],
    ['package-lock.json, packages/firstseen', lock.packages?.['packages/firstseen']?.version],
    ['package-lock.json, packages/lab', lock.packages?.['packages/lab']?.version],
    ['package-lock.json, packages/lab, peerDependencies', lock.packages?.['packages/lab']?.peerDependencies?.firstseen],
  ];
}

/** Both packages, the description for JSR and the lock file name one version: that of the library. */
export function versionProblems(found) {
  const { version } = found.library;
  return placesOf(found)
    .filter(([, other]) => other !== version)
    .map(([place, other]) => `${place} names version ${other}, but packages/firstseen/package.json names ${version}`);
}

/** The documents that show how to install the packed file name that of the version. @param documents their texts, by path */
export function documentProblems(documents, version) {
  return Object.entries(documents)
    .filter(([, text]) =>
      [...text.matchAll(/firstseen(?:-lab)?-(\d[\w.-]*?)\.tgz/g)].some(([, named]) => named !== version),
    )
    .map(([path]) => `${path} installs a file of another version than ${version}`);
}

/**
 * The changelog has a dated section of the version, and nothing waits in the section Unreleased. A version without a section is a
 * release that is being prepared.
 */
export function changelogProblems(changelog, version) {
  const heads = changelogHeads(changelog);
  const own = heads.find((head) => head.version === version);
  if (own === undefined) return [`CHANGELOG.md has no section "## [${version}] - DATE"`];
  const problems = own.date === undefined ? [`CHANGELOG.md has no date for version ${version}`] : [];
  const unreleased = /^## \[Unreleased\]\s*$([\s\S]*?)(?=^## \[|(?![\s\S]))/m.exec(changelog)?.[1] ?? '';
  if (unreleased.trim() !== '') {
    problems.push(
      `CHANGELOG.md has changes under "Unreleased" that version ${version} would contain; move them to a new version`,
    );
  }
  const newest = heads.find((head) => head.version !== 'Unreleased');
  if (newest !== own) problems.push(`CHANGELOG.md has version ${newest.version} above ${version}`);
  return problems;
}

/** There are frozen snapshots of the version. @param folders the names of the folders of test/golden/ */
export function goldenProblems(folders, version) {
  if (folders.includes(version)) return [];
  return [`packages/firstseen/test/golden has no snapshots of version ${version}; run: node tools/golden.mjs`];
}

/** The packed packages have the name and version that they are published with. @param packed what npm pack reports */
export function packedProblems(packed, version) {
  return packed
    .filter((one) => one.version !== version)
    .map((one) => `npm packs ${one.name} ${one.version}, but the version is ${version}`);
}

/** What a person still does, in this order. */
export function stepsLeft(version) {
  return [
    `commit the changes of version ${version}, and wait until the checks of the commit have passed`,
    `push the tag: git tag v${version} && git push origin v${version}; .github/workflows/release.yml publishes both packages on npm`,
    'publish on JSR: npm run jsr, then npx deno publish in packages/firstseen/build/jsr',
    `write the release notes of v${version} from CHANGELOG.md`,
    'begin the next version: a section "Unreleased" in CHANGELOG.md',
  ];
}
