// HTML templates that escape their values, except values that are markup.

export interface Markup {
  markup: string;
}

type Part = string | number | Markup | readonly Markup[];

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text escaped for elements and quoted attributes. */
function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] as string);
}

function markupOf(part: Part): string {
  if (typeof part === 'string' || typeof part === 'number') return escaped(String(part));
  if ('markup' in part) return part.markup;
  return part.map(({ markup }) => markup).join('');
}

/** A template of HTML. */
export function html(texts: TemplateStringsArray, ...parts: Part[]): Markup {
  return { markup: texts.map((text, t) => text + (t < parts.length ? markupOf(parts[t] as Part) : '')).join('') };
}

/** Marks a text as HTML, which is not escaped. */
export function trusted(markup: string): Markup {
  return { markup };
}
