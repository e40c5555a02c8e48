// The progress bar of an experiment: a share of the work, on a terminal only.

export interface ShareBar {
  update: (share: number) => void;
  stop: () => void;
}

const noBar: ShareBar = { update: () => undefined, stop: () => undefined };
const WHOLE = 1000;
/** Updates over which the time left is averaged. */
const ETA_UPDATES = 100;

/** A bar on standard error, if that is a terminal and a bar is wanted. */
export async function openShareBar(isWanted: boolean): Promise<ShareBar> {
  if (!isWanted || !process.stderr.isTTY) return noBar;
  const { SingleBar } = (await import('cli-progress')).default;
  const bar = new SingleBar({
    format: '{bar} {percentage}% | {eta_formatted} left',
    barsize: 20,
    etaBuffer: ETA_UPDATES,
    clearOnComplete: true,
  });
  bar.start(WHOLE, 0);
  let shownValue = 0;
  return {
    update(share) {
      const value = Math.floor(share * WHOLE);
      // The bar estimates the time left from the differences between updates.
      if (value <= shownValue) return;
      shownValue = value;
      bar.update(value);
    },
    stop: () => bar.stop(),
  };
}
