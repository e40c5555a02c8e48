// Colours and symbols of series. A name has the same ones in all plots of a report.

import type { Plot, PlotSeries } from '../contract.js';

/**
 * After Okabe and Ito, Color Universal Design (2008): people with colour blindness can distinguish them. Orange and sky
 * blue are darkened. Each colour has a contrast of at least 3 to white and near black, so one palette works on both.
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

/** All 42 combinations, because the numbers of colours (6) and of symbols (7) have no common divisor. */
const ALL_LOOKS: readonly Look[] = Array.from({ length: COLOURS.length * SYMBOLS.length }, (_, place) => ({
  colour: COLOURS[place % COLOURS.length] as string,
  symbol: SYMBOLS[place % SYMBOLS.length] as Look['symbol'],
}));

/** The look of limits, reference lines and the roles in a legend. */
export const PLAIN_LOOK: Look = { colour: 'currentColor', symbol: 'circle' };

/** Cost of sharing the look, colour or symbol with a name in the same plot, or the look with a name elsewhere. */
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
 * Looks for all series of these plots. Names get looks in the order of their first occurrence. Each gets the look that
 * differs most from those of the names in the same plots.
 */
export function looksOf(plots: readonly Plot[]): Looks {
  const isPlain = ({ role }: PlotSeries) => role === 'limit' || role === 'guide';
  const namesOf = ({ series }: Plot) => new Set(series.filter((one) => !isPlain(one)).map(({ name }) => name));
  const byPlot = plots.map(namesOf);
  const looks = new Map<string, Look>();
  for (const name of new Set(byPlot.flatMap((names) => [...names]))) {
    // A neighbour in several plots counts once for each.
    const neighbours = byPlot.filter((names) => names.has(name)).flatMap((names) => [...names]);
    const neighbourLooks = neighbours.flatMap((neighbour) => looks.get(neighbour) ?? []);
    const allLooks = [...looks.values()];
    const costs = ALL_LOOKS.map((look) => costOf(look, neighbourLooks, allLooks));
    looks.set(name, ALL_LOOKS[costs.indexOf(Math.min(...costs))] as Look);
  }
  return (name) => looks.get(name) ?? PLAIN_LOOK;
}
