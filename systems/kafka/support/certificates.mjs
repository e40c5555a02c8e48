// Certificates of an authority of a test's own, made by openssl.

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const DAYS = '2';
const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-noenc'];

function openssl(...words) {
  execFileSync('openssl', words, { stdio: 'pipe' });
}

/** An authority that signs certificates. */
export class Authority {
  #folder;
  #name;

  constructor(folder, name) {
    this.#folder = folder;
    this.#name = name;
    const subject = ['-subj', `/CN=${name}`, '-days', DAYS];
    openssl('req', '-x509', ...NEW_KEY, ...subject, '-keyout', this.#path('key'), '-out', this.path);
  }

  /** Its own certificate. */
  get path() {
    return this.#path('pem');
  }

  #path(ending) {
    return join(this.#folder, `${this.#name}.${ending}`);
  }

  /**
   * Makes a key and its certificate.
   * @param address the one of a server that it names
   * @returns the paths of `key`, `cert`, and of `both` in one file
   */
  sign(name, address) {
    const [key, cert, both] = ['key', 'pem', 'both.pem'].map((ending) => join(this.#folder, `${name}.${ending}`));
    const signed = ['-CA', this.path, '-CAkey', this.#path('key'), '-subj', `/CN=${name}`, '-days', DAYS];
    const named = address === undefined ? [] : ['-addext', `subjectAltName=${address}`];
    openssl('req', '-x509', ...NEW_KEY, ...signed, ...named, '-keyout', key, '-out', cert);
    writeFileSync(both, readFileSync(key, 'utf8') + readFileSync(cert, 'utf8'));
    return { key, cert, both };
  }
}
