// Elements of the page. Texts are set as texts, so that a name of a detector is never markup.

type Attributes = Readonly<Record<string, string | boolean | undefined>>;
export type Child = Node | string;

/** A new element. An attribute that is false or undefined is left out. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) made.setAttribute(name, value === true ? '' : value);
  }
  made.append(...children);
  return made;
}

/** A name that somebody gave, or a link with it. Its marks of the direction of writing do not change the text around it. */
export function nameElement(name: Child): HTMLElement {
  return element('bdi', {}, name);
}

/** Sets a text, unless it is there already: so nothing that is selected or read aloud is disturbed. */
export function setText(node: Node, text: string): void {
  if (node.textContent !== text) node.textContent = text;
}

/** A button that is not of a form. */
export function button(text: string, onClick: () => void, attributes: Attributes = {}): HTMLButtonElement {
  const made = element('button', { type: 'button', ...attributes }, text);
  made.addEventListener('click', onClick);
  return made;
}

/** The element of the document with an id. */
export function byId(id: string): HTMLElement {
  return document.getElementById(id) as HTMLElement;
}
