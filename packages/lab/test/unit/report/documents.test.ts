import { describe, expect, test } from 'vitest';
import { htmlReport } from '../../../src/report/html.js';
import { markdownReport } from '../../../src/report/markdown.js';
import { exampleReport } from '../../support/reports.js';

const report = exampleReport();
const section = report.sections[0] as (typeof report.sections)[number];

describe('the HTML report', () => {
  const page = htmlReport(report);

  test('begins with the verdicts, then the conclusions', () => {
    const positions = ['<h1>', 'Table or figure', 'Findings', 'id="table-4"', 'Measured on'].map((part) =>
      page.indexOf(part),
    );
    expect(positions).toEqual([...positions].sort((a, b) => a - b));
    expect(positions[0]).toBeGreaterThan(0);
  });

  test('links only to itself', () => {
    const targets = [...page.matchAll(/\b(?:src|href)="([^"]*)"/g)].map(([, target]) => target as string);
    const ids = [...page.matchAll(/\bid="([^"]*)"/g)].map(([, id]) => id as string);
    expect(new Set(ids).size).toBe(ids.length);
    for (const target of targets) {
      expect(target === 'data:,' || (target.startsWith('#') && ids.includes(target.slice(1))), target).toBe(true);
    }
    expect(page.replaceAll('http://www.w3.org/2000/svg', '')).not.toMatch(/https?:/);
  });

  test('escapes its texts', () => {
    expect(page).not.toContain('<script');
    expect(page).toContain('&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;');
    expect(page).toContain('Of the detectors of &lt;64 MiB, *rlbsbf* errs least: 1.2 % &amp; 3.4 %.');
  });

  test('has each verdict in words, and the command of each row and section', () => {
    for (const { id, verdict, command } of section.rows) {
      const row = page.slice(page.indexOf(`id="row-${id}"`)).split('</tr>')[0] as string;
      expect(row).toContain(`>${verdict.kind}</span>`);
      expect(row).toContain(`<code>${command}</code>`);
    }
    expect(page).toContain(`<code>${section.command}</code>`);
  });

  test('omits columns that are empty in all rows', () => {
    const rows = section.rows.map(({ elementsPerSecond, ...row }) => ({ ...row, predicted: {}, limit: {} }));
    const bare = htmlReport({ ...report, sections: [{ ...section, rows }] });
    expect(page).toMatch(/colspan="3"[^>]*>FPR %/);
    expect(page).toMatch(/colspan="4"[^>]*>FNR %/);
    expect(bare).toMatch(/colspan="2"[^>]*>FNR %/);
    expect(bare).not.toContain('M elements/s');
  });
});

describe('the Markdown report', () => {
  const { text, plots } = markdownReport(report, { plotsFolder: 'pictures' });

  test('has a file for each plot that it shows', () => {
    const shown = [...text.matchAll(/!\[[^\]]*\]\(([^)]*)\)/g)].map(([, path]) => path);
    expect(shown).toEqual(plots.map(({ name }) => `pictures/${name}`));
    for (const { svg } of plots) expect(svg).toMatch(/^<svg [\s\S]*<\/svg>\n$/);
  });

  test('begins with the number of verdicts of each kind', () => {
    const [, table] = text.split('\n\n').slice(1) as [string, string];
    expect(table.split('\n').slice(1)).toEqual([
      '| --- | --- | ---: | ---: | ---: |',
      `| [Table 4: 1 billion records, 15 % distinct](#table-4) | ${section.paper} | 2 | 1 | 1 |`,
      '| [Figure 3: the load converges](#figure-3) | Deng \\& Rafiei 2006 | – | – | – |',
    ]);
  });

  test('has no table for a section without rows', () => {
    const sectionText = text.slice(text.indexOf('<a id="figure-3"></a>'));
    expect(sectionText).toContain('### Figure 3');
    expect(sectionText.split('<a id=')[1]).not.toContain('| ---');
  });

  test('explains how to read it after the conclusions, if there are explanations', () => {
    expect(text).toContain('\n\n## How to read it\n\n- FPR is \\< what it is \\& no \\| more.\n\n');
    expect(text.indexOf('## Findings')).toBeLessThan(text.indexOf('## How to read it'));
    const { text: bare } = markdownReport({ ...report, reading: [] }, { plotsFolder: 'pictures' });
    expect(bare).not.toContain('How to read it');
    expect(htmlReport(report)).toContain(
      '<h2>How to read it</h2>\n<ul>\n<li>FPR is &lt; what it is &amp; no | more.</li>',
    );
    expect(htmlReport({ ...report, reading: [] })).not.toContain('How to read it');
  });

  test('separates conclusions for choosing a detector from remarks about the papers, if there are remarks', () => {
    expect(text).toMatch(/## Findings\n\n(- .*\n){2}\n## About the papers\n\n- What \\<is\\> printed/);
    expect(htmlReport(report)).toContain('<h2>About the papers</h2>\n<ul>\n<li>What &lt;is&gt; printed &amp;');
    const bare = { ...report, remarks: [] };
    expect(markdownReport(bare, { plotsFolder: 'pictures' }).text).not.toContain('About the papers');
    expect(htmlReport(bare)).not.toContain('About the papers');
  });

  test('has neither a table nor parameters of rows in a section without rows', () => {
    const { text: bare } = markdownReport(
      { ...report, sections: [{ ...section, rows: [], plots: [] }] },
      { plotsFolder: 'pictures' },
    );
    const [, afterId = ''] = bare.split(`<a id="${section.id}"></a>`);
    const [shown = ''] = afterId.split(/^## /m);
    expect(shown).toContain(section.command);
    expect(shown).not.toMatch(/^\| /m);
    expect(shown).not.toContain('<details>');
  });

  test('has one command for each section, and the parameters of each row', () => {
    for (const { id, parameters, command } of section.rows) {
      expect(text).toContain(`\n${id}: ${parameters}\n`);
      expect(text).not.toContain(`\n${command}\n`);
      expect(htmlReport(report)).toContain(id);
    }
  });

  test('has as many cells in each row as in the header', () => {
    for (const block of text.split('\n\n').filter((one) => one.startsWith('| '))) {
      const cells = block.split('\n').map((line) => line.split(/(?<!\\)\|/).length);
      expect(new Set(cells).size).toBe(1);
    }
    expect(text).toContain('| 5.12 | 5.171 (5.166–5.176) | 5.22 |');
  });

  test('escapes its texts, also at the start of a line', () => {
    expect(text).toContain('- A table \\| with a bar, \\`ticks\\` and \\_marks\\_ is shown as it is written.');
    const notes = ['# no head', '1. no list', 'snake_case, 5 * 3'];
    const { text: noted } = markdownReport(
      { ...report, sections: [{ ...section, notes }] },
      { plotsFolder: 'pictures' },
    );
    expect(noted).toContain('\n\n\\# no head\n\n1\\. no list\n\nsnake_case, 5 \\* 3\n\n');
  });

  test('fences commands that contain a fence themselves', () => {
    const { text: fenced } = markdownReport({ ...report, command: 'echo ```' }, { plotsFolder: 'pictures' });
    expect(fenced).toContain('````sh\necho ```\n````');
  });
});
