import { describe, expect, test } from 'vitest';
import type { Plot } from '../../../src/contract.js';
import { COLOURS, looksOf } from '../../../src/report/looks.js';
import { plotSvg } from '../../../src/report/svg.js';

function plotOf(series: Plot['series'], scale: 'linear' | 'log' = 'linear'): Plot {
  return { id: 'p', title: 'A <title> & more', x: { label: 'x', scale }, y: { label: 'y', scale }, series };
}

const POINTS = [
  { x: 1, y: 3 },
  { x: 20, y: 1 },
  { x: 300, y: 2 },
];

const count = (text: string, part: string) => text.split(part).length - 1;

describe('the SVG of a plot', () => {
  test('is small, and the same each time', () => {
    const plot = plotOf([
      { name: 'a', kind: 'line', points: Array.from({ length: 100 }, (_, x) => ({ x, y: Math.sin(x) })) },
    ]);
    const svg = plotSvg(plot);
    expect(plotSvg(structuredClone(plot))).toBe(svg);
    expect(svg).not.toMatch(/\.\d{3,}/);
    expect(svg.length).toBeLessThan(8000);
  });

  test('describes in words what it shows', () => {
    const svg = plotSvg(plotOf([{ name: 'a', kind: 'points', role: 'published', points: POINTS }]));
    expect(svg).toContain('<title>A &lt;title&gt; &amp; more</title>');
    expect(svg).toContain('<desc>y against x. Shown: a (published).</desc>');
    expect(svg).toContain('role="img" aria-label="A &lt;title&gt; &amp; more"');
  });

  test('draws each role differently', () => {
    const line = (role?: 'limit' | 'published' | 'predicted') => {
      const series = { name: 'a', kind: 'line' as const, points: POINTS, ...(role === undefined ? {} : { role }) };
      return /aria-label="line"[^>]*>/.exec(plotSvg(plotOf([series])))?.[0] ?? '';
    };
    expect(line()).toContain(`stroke="${COLOURS[0]}" stroke-width="2"`);
    expect(line('predicted')).toContain(`stroke="${COLOURS[0]}"`);
    expect(line('predicted')).not.toContain('stroke-width');
    expect(line('limit')).toContain('stroke="currentColor"');
    expect(line('limit')).toContain('stroke-dasharray="6 4"');
    const published = plotSvg(plotOf([{ name: 'a', kind: 'points', role: 'published', points: POINTS }]));
    expect(published).toContain(`aria-label="dot" fill="none" stroke="${COLOURS[0]}"`);
  });

  test('labels a single point directly, and several points in the legend', () => {
    const single = plotSvg(plotOf([{ name: 'single', kind: 'points', points: POINTS.slice(0, 1) }]));
    expect(count(single, '>single<')).toBe(1);
    expect(count(single, 'aria-label="dot"')).toBe(1);
    const cloud = plotSvg(plotOf([{ name: 'cloud', kind: 'points', points: [...POINTS, ...POINTS] }]));
    expect(count(cloud, '>cloud<')).toBe(1);
    expect(count(cloud, 'aria-label="dot"')).toBe(2);
  });

  test('has one legend entry for each name and for each additional role', () => {
    const roles = [undefined, 'published', 'predicted'] as const;
    const series = ['a', 'b'].flatMap((name) =>
      roles.map((role) => ({ name, kind: 'line' as const, points: POINTS, ...(role === undefined ? {} : { role }) })),
    );
    const svg = plotSvg(plotOf(series));
    for (const entry of ['a', 'b', 'published', 'predicted']) expect(count(svg, `>${entry}<`), entry).toBe(1);
  });

  test('labels zero on a logarithmic axis as 0', () => {
    const svg = plotSvg(plotOf([{ name: 'a', kind: 'line', points: [{ x: 1, y: 0 }, ...POINTS] }], 'log'));
    expect(count(svg, '>0<')).toBe(1);
    expect(svg).not.toContain('NaN');
  });

  test('can be drawn without points', () => {
    for (const scale of ['linear', 'log'] as const) expect(plotSvg(plotOf([], scale))).not.toMatch(/NaN|Infinity/);
  });
});

describe('the looks of series', () => {
  test('are the same for a name in all plots, and differ between 42 names', () => {
    const names = Array.from({ length: 42 }, (_, n) => `name ${n}`);
    const series = names.map((name) => ({ name, kind: 'line' as const, points: POINTS }));
    const looks = looksOf([plotOf(series.slice(0, 20)), plotOf(series.slice(10))]);
    expect(new Set(names.map((name) => JSON.stringify(looks(name)))).size).toBe(42);
  });

  test('have different colours for names that share a plot, even if other names come between them', () => {
    const named = (names: string) =>
      plotOf([...names].map((name) => ({ name, kind: 'line' as const, points: POINTS })));
    const looks = looksOf([named('abcdef'), named('agb')]);
    expect(new Set([...'abcdef'].map((name) => looks(name).colour)).size).toBe(COLOURS.length);
    expect(new Set([...'agb'].map((name) => looks(name).colour)).size).toBe(3);
  });

  test('have a contrast of more than 3 on both backgrounds', () => {
    for (const colour of COLOURS) {
      expect(contrast(colour, '#ffffff'), colour).toBeGreaterThan(3);
      expect(contrast(colour, '#14171a'), colour).toBeGreaterThan(3);
    }
  });
});

/** Contrast ratio and relative luminance as WCAG 2.2 defines them. */
function contrast(one: string, other: string): number {
  const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

function luminance(colour: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
