// Who waits until changes are as safe as they have to be.

export interface Waiting {
  callback: () => void;
  /** True if it has made some of the changes, or may have seen them. */
  usesDetectors: boolean;
}

export function callBack(waiting: readonly Waiting[]): void {
  for (const { callback } of waiting) callback();
}
