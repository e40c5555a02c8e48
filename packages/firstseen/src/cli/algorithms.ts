// `firstseen algorithms`: prints the families.

import type { Command } from 'commander';
import type { FamilyParameter, Guarantee } from '../detectors/contract.js';
import { type Family, families } from '../detectors/descriptions.js';
import { defaultFamily } from '../detectors/registry.js';
import { writeOutput } from './streams.js';
import { wrapText } from './text.js';

const LABEL_WIDTH = 17;
const LINE_WIDTH = 100;

function guaranteeText(guarantee: Guarantee): string {
  if (guarantee.kind === 'never') return 'never';
  if (guarantee.kind === 'bounded') return `bounded: ${guarantee.bound} [${guarantee.source}]`;
  return `data-dependent: ${guarantee.why}`;
}

function parameterText({ letter, name, description, words, derived }: FamilyParameter): string {
  const choices = words ? `: ${words.join(', ')}` : '';
  return `${letter} (${name}${derived ? ', derived' : ''}) ${description}${choices}`;
}

function labelled(label: string, text: string): string[] {
  return wrapText(text, LINE_WIDTH - LABEL_WIDTH - 2).map(
    (line, i) => `  ${(i === 0 ? label : '').padEnd(LABEL_WIDTH)}${line}`,
  );
}

function familyText(family: Family): string {
  const layouts = family.layouts.map((layout) =>
    layout === family.layout && family.layouts.length > 1 ? `${layout} (default)` : layout,
  );
  return [
    `${family.name}: ${family.title}${family.name === defaultFamily.name ? ' (the default)' : ''}`,
    ...labelled('rule', family.rule),
    ...labelled('false positives', guaranteeText(family.falsePositives)),
    ...labelled('false negatives', guaranteeText(family.falseNegatives)),
    ...family.parameters.flatMap((parameter, i) => labelled(i === 0 ? 'parameters' : '', parameterText(parameter))),
    ...labelled('layouts', layouts.join(', ')),
    ...labelled('source', family.source),
  ].join('\n');
}

/** The families as text, one block each. */
function algorithmsText(): string {
  return `${families.map(familyText).join('\n\n')}\n`;
}

/** The families as data, with names in the style of the command's JSON. */
function algorithmsJson(): string {
  const rows = families.map((family) => ({
    name: family.name,
    id: family.id,
    title: family.title,
    source: family.source,
    rule: family.rule,
    is_default: family.name === defaultFamily.name,
    layouts: family.layouts,
    default_layout: family.layout,
    false_positives: family.falsePositives,
    false_negatives: family.falseNegatives,
    parameters: family.parameters,
  }));
  return `${JSON.stringify(rows, null, 2)}\n`;
}

export function addAlgorithmsCommand(program: Command): void {
  program
    .command('algorithms')
    .description('list the algorithms with their rules, guarantees and parameters')
    .option('--json', 'print the list as JSON')
    .allowExcessArguments(false)
    .action(async ({ json }: { json?: boolean }) => writeOutput(json ? algorithmsJson() : algorithmsText()));
}
