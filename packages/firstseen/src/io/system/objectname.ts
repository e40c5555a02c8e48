// The names of objects of stores and of resources of the web, which are not paths: `s3://bucket/key`, `https://host/path`.

const SCHEME = /^(s3|gs|az|https?):\/\//i;

/** Tells if a name is that of an object of a store, or of a resource of the web, and not that of a file. */
export function isObjectName(name: string): boolean {
  return SCHEME.test(name);
}

/** The scheme in the name of an object, in lower case. */
export function schemeOf(name: string): string {
  return name.slice(0, name.indexOf('://')).toLowerCase();
}

/** The part of the name of an object after its scheme. */
export function afterScheme(name: string): string {
  return name.slice(name.indexOf('://') + 3);
}

/** The name of an input or output in messages and states, without whatever may be a secret: users, passwords and queries. */
export function withoutSecrets(name: string): string {
  if (!isObjectName(name)) return name;
  const scheme = schemeOf(name);
  if (!scheme.startsWith('http')) return /^[^/]*@/.test(afterScheme(name)) ? `${scheme}://...` : name;
  // Where a name cannot be parsed, nobody knows which part of it is a password.
  if (!URL.canParse(name)) return `${scheme}://...`;
  const { origin, pathname } = new URL(name);
  return origin + pathname;
}
