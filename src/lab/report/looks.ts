// How series are told apart: by colour and by symbol, the same for one name in all plots of a report.

import type { Plot, PlotSeries } from '../contract.js';

/**
 * After Okabe and Ito, Color Universal Design (2008), which people who confuse colours tell apart. Orange and sky blue are
 * darkened, so that every colour has a contrast of at least 3 to white and to near black: one palette serves light and dark.
 */
export const COLOURS = ['#0072b2', '#d55e00', '#009e73', '#cc6fa0', '#b37c00', '#3d93cc'] as const;

/** Names of Plot's symbols that stay apart at 8 pixels. */
export const SYMBOLS = ['circle', 'square', 'triangle', 'diamond', 'cross', 'star', 'wye'] as const;

export interface Look {
  colour: string;
  symbol: (typeof SYMBOLS)[number];
}

/** The look of the series with this name. */
export type Looks = (name: string) => Look;

/** There are six colours and seven symbols, which have no divisor in common: the first 42 looks are all different. */
function lookAt(place: number): Look {
  return {
    colour: COLOURS[place % COLOURS.length] as string,
    symbol: SYMBOLS[place % SYMBOLS.length] as Look['symbol'],
  };
}

/** What is no detector's: limits, lines to read by and the roles in a legend. */
export const PLAIN_LOOK: Look = { colour: 'currentColor', symbol: 'circle' };

/** Looks for all series of these plots, in the order in which their names first stand in them. */
export function looksOf(plots: readonly Plot[]): Looks {
  const isPlain = ({ role }: PlotSeries) => role === 'limit' || role === 'guide';
  const names = plots.flatMap(({ series }) => series.filter((one) => !isPlain(one)).map(({ name }) => name));
  const places = new Map([...new Set(names)].map((name, place) => [name, place]));
  return (name) => {
    const place = places.get(name);
    return place === undefined ? PLAIN_LOOK : lookAt(place);
  };
}
