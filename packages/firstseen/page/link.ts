// Addresses within the page.

/** The address of a detector. */
export function linkTo(name: string): string {
  return `#/detectors/${encodeURIComponent(name)}`;
}
