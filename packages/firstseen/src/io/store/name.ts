// The addresses of objects of stores and of resources of the web.

import { FirstseenError } from '../../base/errors.js';
import { afterScheme, schemeOf, withoutSecrets } from '../system/objectname.js';

/** Characters of a pattern in the name of an object, as in the patterns of folders. */
const PATTERN = /[*?[{\\]/;

/** The address of an object of a store that speaks S3. */
export interface BucketAddress {
  scheme: 's3' | 'gs';
  /** Its name in messages and states. */
  name: string;
  bucket: string;
  key: string;
}

/** The address of a resource of the web. */
export interface WebAddress {
  scheme: 'web';
  /** Its name in messages and states, which has neither a user, nor a password, nor a query. */
  name: string;
  /** The address without its user and password. */
  url: URL;
  /** The user and password, as the header of a request has them. */
  authorization?: string;
}

export type ObjectAddress = BucketAddress | WebAddress;

function invalidName(name: string, expected: string): FirstseenError {
  return new FirstseenError('E_USAGE', `${name} is not the name of an object`, {
    expected,
    remedy: `name ${expected}`,
  });
}

function bucketAddress(scheme: BucketAddress['scheme'], name: string): BucketAddress {
  const rest = afterScheme(name);
  const end = rest.indexOf('/');
  const [bucket, key] = end < 0 ? [rest, ''] : [rest.slice(0, end), rest.slice(end + 1)];
  if (bucket === '' || bucket.includes('@')) throw invalidName(withoutSecrets(name), `${scheme}://BUCKET/KEY`);
  return { scheme, name, bucket, key };
}

function webAddress(name: string): WebAddress {
  const shown = withoutSecrets(name);
  if (!URL.canParse(name)) throw invalidName(shown, 'https://HOST/PATH');
  const url = new URL(name);
  const { username, password } = url;
  url.username = '';
  url.password = '';
  url.hash = '';
  if (username === '' && password === '') return { scheme: 'web', name: shown, url };
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const authorization = `Basic ${Buffer.from(credentials).toString('base64')}`;
  return { scheme: 'web', name: shown, url, authorization };
}

/** @throws FirstseenError E_USAGE for a name of no object, and for a store that has no interface of S3. */
export function addressOf(name: string): ObjectAddress {
  const scheme = schemeOf(name);
  if (scheme === 's3' || scheme === 'gs') return bucketAddress(scheme, name);
  if (scheme !== 'az') return webAddress(name);
  throw new FirstseenError(
    'E_USAGE',
    `${withoutSecrets(name)} cannot be used: Azure Blob Storage does not have the interface of S3`,
    {
      remedy: 'read it by its https:// address with a shared access signature, or copy it with azcopy',
    },
  );
}

/** Tells if the key of an address is a pattern, or the beginning of the names of all objects in a folder. */
export function isListing(address: ObjectAddress): address is BucketAddress {
  if (address.scheme === 'web') return false;
  return address.key === '' || address.key.endsWith('/') || PATTERN.test(address.key);
}

/** The part of a pattern before its first character that is not literal. */
export function literalPrefix(key: string): string {
  const at = key.search(PATTERN);
  return at < 0 ? key : key.slice(0, at);
}

/**
 * The address of an object that is written.
 * @throws FirstseenError E_USAGE for a name of something that is not written
 */
export function writtenAddress(name: string): BucketAddress {
  const address = addressOf(name);
  if (address.scheme !== 'web' && !isListing(address)) return address;
  const problem = address.scheme === 'web' ? 'addresses of the web are only read' : 'it is not the name of one object';
  throw new FirstseenError('E_USAGE', `cannot write ${withoutSecrets(name)}: ${problem}`, {
    remedy: 'name a file, or an object such as s3://BUCKET/KEY',
  });
}
