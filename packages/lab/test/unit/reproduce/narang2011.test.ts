import { expect, it } from 'vitest';
import { narang2011Figures } from '../../../src/published/narang2011.js';
import { motifSection, repeatMotifs } from '../../../src/reproduce/narang2011.js';

const [figures] = narang2011Figures;
if (!figures) throw new Error('no figures');

/** Few records and settings, but enough to fill the arrays of 2^12 entries. */
const small = {
  ...figures,
  configuration: { ...figures.configuration, records: 20_000 },
  settings: [
    { hashes: 8, addressBits: 12 },
    { hashes: 8, addressBits: 19 },
  ],
};

it('repeats figures 3 and 4: fewer errors with longer addresses, almost none if every cluster opens its own set', async () => {
  const section = await repeatMotifs(small, motifSection(small));
  expect(section.rows.map(({ id }) => id)).toEqual([
    'narang-figure-3/k8-l12-random',
    'narang-figure-3/k8-l12-centres',
    'narang-figure-3/k8-l12-fitted',
    'narang-figure-3/k8-l19-random',
    'narang-figure-3/k8-l19-centres',
    'narang-figure-3/k8-l19-fitted',
  ]);
  const rateOf = (id: string) => section.rows.find((row) => row.id.endsWith(id))?.measured.fpr?.estimate as number;
  expect(rateOf('k8-l19-centres')).toBeLessThan(0.001);
  // In some of the five orders, clusters share a set. Each cluster is a quarter of the records.
  expect(rateOf('k8-l19-random')).toBeGreaterThan(0.05);
  expect(section.plots.map(({ id }) => id)).toEqual(['narang-figure-3', 'narang-figure-4']);
  const confirmed = section.plots[0]?.series.find(({ name }) => name.includes('ours'));
  expect(confirmed?.points.map(({ x }) => x)).toEqual([12, 19]);
  expect(confirmed?.points[1]?.y).toBeLessThan(0.1);
});

it('repeats one row by itself', async () => {
  const spec = motifSection(small);
  const rows = spec.rows.filter(({ id }) => id === 'narang-figure-3/k8-l19-centres');
  const section = await repeatMotifs(small, { ...spec, rows });
  expect(section.rows.length).toBe(1);
  expect(section.rows[0]?.verdict).toEqual({ kind: 'reproduced', text: 'FPR as printed, FNR as printed' });
  expect(section.plots).toEqual([]);
});
