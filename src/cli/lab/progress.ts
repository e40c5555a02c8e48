// The progress bar of an experiment: a share of the work, on a terminal only.

export interface ShareBar {
  update: (share: number) => void;
  stop: () => void;
}

const noBar: ShareBar = { update: () => undefined, stop: () => undefined };
const WHOLE = 1000;

/** A bar on standard error where that is a terminal and one is wanted. */
export async function openShareBar(isWanted: boolean): Promise<ShareBar> {
  if (!isWanted || !process.stderr.isTTY) return noBar;
  const { SingleBar } = (await import('cli-progress')).default;
  const bar = new SingleBar({
    format: '{bar} {percentage}% | {eta_formatted} left',
    barsize: 20,
    clearOnComplete: true,
  });
  bar.start(WHOLE, 0);
  return { update: (share) => bar.update(Math.floor(share * WHOLE)), stop: () => bar.stop() };
}
