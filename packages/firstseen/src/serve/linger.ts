// The time that a client has to read the last replies of a server that stops.

const LINGER_MILLISECONDS = 1000;

/**
 * Ends something after a while, and not while replies are held because the disk is slow: their changes will be there after a start, so a
 * client that repeats them would be told that they are duplicates.
 * @param isHeld tells if replies are held
 * @returns what stops that
 */
export function endAfterLinger(end: () => void, isHeld: () => boolean): () => void {
  let wasHeld = false;
  const timer = setInterval(() => {
    const isStillHeld = isHeld();
    // Replies that were held until now have a while too.
    if (!isStillHeld && !wasHeld) end();
    wasHeld = isStillHeld;
  }, LINGER_MILLISECONDS);
  return () => clearInterval(timer);
}
