// Who waits until changes are as safe as they have to be.

export interface Waiting {
  callback: () => void;
  /** Whether some of the changes are its own. */
  hasChanged: boolean;
}

export function callBack(waiting: readonly Waiting[]): void {
  for (const { callback } of waiting) callback();
}
