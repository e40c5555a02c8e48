// HTML in which every text is escaped: a value is a text unless it was made here.

/** Markup, which is not escaped again. */
export class Html {
  readonly markup: string;

  constructor(markup: string) {
    this.markup = markup;
  }
}

/** A value of a template: texts and numbers, which are escaped, and markup. Undefined and false are nothing. */
export type HtmlValue = Html | string | number | undefined | false | readonly HtmlValue[];

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** The first of the characters that show control characters. */
const CONTROL_PICTURES = 0x2400;

/** Characters that change the order of what follows them, so that a text could be shown as another one. */
const DIRECTIONS = /[\u202a-\u202e\u2066-\u2069]/g;

/** A text as markup. Control characters, which a browser would not show, become pictures of them. */
export function escaped(text: string): string {
  return (
    text
      .replace(/[&<>"']/g, (character) => entities[character] as string)
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are what is replaced.
      .replace(/[\0-\x08\x0b-\x1f]/g, (control) => String.fromCodePoint(CONTROL_PICTURES + control.charCodeAt(0)))
      .replace(DIRECTIONS, '\ufffd')
  );
}

function markupOf(value: HtmlValue): string {
  if (value === undefined || value === false) return '';
  if (value instanceof Html) return value.markup;
  if (typeof value === 'object') return value.map(markupOf).join('');
  return escaped(String(value));
}

/** Markup with values, each of which is escaped unless it is markup. */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  const parts = strings.map((markup, i) => (i === 0 ? markup : markupOf(values[i - 1]) + markup));
  return new Html(parts.join(''));
}
