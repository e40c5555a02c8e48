// Asks for the token of the server. It is kept in the memory of the page only.

import { element } from './dom.js';

export function tokenForm(problem: string, onToken: (token: string) => void): HTMLElement {
  const input = element('input', {
    id: 'token',
    type: 'password',
    autocomplete: 'off',
    required: true,
    spellcheck: 'false',
  });
  const form = element(
    'form',
    { class: 'card form' },
    element('h1', {}, 'This server asks for a token'),
    element('p', { role: 'alert', class: 'problem' }, problem),
    element('label', { for: 'token' }, 'Token with the role read, observe or admin'),
    input,
    element('button', { type: 'submit', class: 'primary' }, 'Show the figures'),
    element('p', { class: 'note' }, 'The page forgets the token when it is closed or loaded again.'),
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    onToken(input.value);
  });
  return form;
}
