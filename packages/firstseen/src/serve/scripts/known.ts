// The scripts that clients have sent, by their digests, as far as this server knows them.

import { createHash } from 'node:crypto';
import { findForm, type ScriptForm } from './forms.js';

/** A library has few scripts. With more, the one that came first is forgotten, and its client sends it again. */
const MAX_SCRIPTS = 1024;

export class KnownScripts {
  readonly #forms = new Map<string, ScriptForm>();

  /** Notes a script. @returns its digest and what it does; undefined if it is not known */
  learn(script: Uint8Array): { digest: string; form: ScriptForm } | undefined {
    const digest = createHash('sha1').update(script).digest('hex');
    const form = this.#forms.get(digest) ?? findForm(Buffer.from(script).toString('latin1'));
    if (form === undefined) return undefined;
    const [first] = this.#forms.keys();
    if (this.#forms.size === MAX_SCRIPTS && !this.#forms.has(digest)) this.#forms.delete(first as string);
    this.#forms.set(digest, form);
    return { digest, form };
  }

  /** Returns the effect of the script of a digest; undefined if no client has sent it. */
  find(digest: string): ScriptForm | undefined {
    return this.#forms.get(digest.toLowerCase());
  }

  /** Forgets all scripts. */
  clear(): void {
    this.#forms.clear();
  }
}
