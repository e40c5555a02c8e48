// How series are told apart: by colour and by symbol, the same for one name in all plots of a report.

import type { Plot, PlotSeries } from '../contract.js';

/**
 * After Okabe and Ito, Color Universal Design (2008), which people who confuse colours tell apart. Orange and sky blue are
 * darkened, so that every colour has a contrast of at least 3 to white and to near black: one palette serves light and dark.
 */
export const COLOURS = ['#0072b2', '#d55e00', '#009e73', '#cc6fa0', '#b37c00', '#3d93cc'] as const;

/** Names of Plot's symbols that stay apart at 8 pixels. */
const SYMBOLS = ['circle', 'square', 'triangle', 'diamond', 'cross', 'star', 'wye'] as const;

export interface Look {
  colour: string;
  symbol: (typeof SYMBOLS)[number];
}

/** The look of the series with this name. */
export type Looks = (name: string) => Look;

/** There are six colours and seven symbols, which have no divisor in common: these are all the 42 looks there can be. */
const ALL_LOOKS: readonly Look[] = Array.from({ length: COLOURS.length * SYMBOLS.length }, (_, place) => ({
  colour: COLOURS[place % COLOURS.length] as string,
  symbol: SYMBOLS[place % SYMBOLS.length] as Look['symbol'],
}));

/** What is no detector's: limits, lines to read by and the roles in a legend. */
export const PLAIN_LOOK: Look = { colour: 'currentColor', symbol: 'circle' };

/** What it costs a look to be shared: both with a name of the same plot, one with such a name, or with any other. */
const COSTS = { look: 1000, colour: 10, symbol: 1, elsewhere: 0.5 } as const;

function costOf(look: Look, beside: readonly Look[], given: readonly Look[]): number {
  const isSame = (other: Look) => other.colour === look.colour && other.symbol === look.symbol;
  const costs = beside.map((other) => {
    if (isSame(other)) return COSTS.look;
    return (other.colour === look.colour ? COSTS.colour : 0) + (other.symbol === look.symbol ? COSTS.symbol : 0);
  });
  return costs.reduce((sum, cost) => sum + cost, 0) + COSTS.elsewhere * given.filter(isSame).length;
}

/**
 * Looks for all series of these plots, in the order in which their names first stand in them: each name has the one that is
 * told best from those of the names it shares a plot with.
 */
export function looksOf(plots: readonly Plot[]): Looks {
  const isPlain = ({ role }: PlotSeries) => role === 'limit' || role === 'guide';
  const namesOf = ({ series }: Plot) => new Set(series.filter((one) => !isPlain(one)).map(({ name }) => name));
  const byPlot = plots.map(namesOf);
  const looks = new Map<string, Look>();
  for (const name of new Set(byPlot.flatMap((names) => [...names]))) {
    // A name that shares several plots with it counts several times.
    const neighbours = byPlot.filter((names) => names.has(name)).flatMap((names) => [...names]);
    const beside = neighbours.flatMap((other) => looks.get(other) ?? []);
    const given = [...looks.values()];
    const costs = ALL_LOOKS.map((look) => costOf(look, beside, given));
    looks.set(name, ALL_LOOKS[costs.indexOf(Math.min(...costs))] as Look);
  }
  return (name) => looks.get(name) ?? PLAIN_LOOK;
}
