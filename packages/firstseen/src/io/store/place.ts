// The place of an object among the inputs that were asked for.

import type { FilePlace, InputRequest } from '../source.js';
import { withoutSecrets } from '../system/objectname.js';
import type { ObjectStatus } from './contract.js';

class ObjectPlace implements FilePlace {
  readonly path: string;
  readonly #status: ObjectStatus | undefined;

  /** @param status the result of a look at the object, if there was one */
  constructor(path: string, status: ObjectStatus | undefined) {
    this.path = path;
    this.#status = status;
  }

  kind(): 'object' {
    return 'object';
  }

  isFolder(): boolean {
    return false;
  }

  isAwaited(): boolean {
    return false;
  }

  modifiedSeconds(): number | undefined {
    return this.#status?.modifiedSeconds;
  }

  hasContent(): boolean {
    return this.#status?.bytes !== 0;
  }

  async storedBytes(): Promise<number> {
    return this.#status?.bytes ?? 0;
  }
}

/** The request for an object. @param look inspects it, if `status` does not say enough */
export function objectRequest(name: string, look: InputRequest['look'], status?: ObjectStatus): InputRequest {
  const shownName = withoutSecrets(name);
  return { name: shownName, file: new ObjectPlace(shownName, status), identity: () => shownName, look };
}
