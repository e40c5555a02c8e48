// Plans a detector, and writes the commands that make it.

import type { PlannedDetector } from '../src/serve/http/watch/messages.js';
import { button, element, setText } from './dom.js';
import { bytes, missesText, rate } from './format.js';
import type { View } from './view.js';

interface Field {
  /** The name of the option, in lower case. */
  option: string;
  label: string;
  hint: string;
  example: string;
}

const fields: readonly Field[] = [
  { option: 'memory', label: 'Memory', hint: 'fixed from the start', example: '64MiB' },
  { option: 'expect-distinct', label: 'Distinct keys', hint: 'as many as may come', example: '1e7' },
  { option: 'expect-length', label: 'Records', hint: 'all that come, with their repeats', example: '1e8' },
  { option: 'fpr', label: 'False positives', hint: 'the highest rate that you accept', example: '1e-6' },
  {
    option: 'window',
    label: 'Window',
    hint: 'how long a key is remembered: a time, or a number of records',
    example: '1d',
  },
];
const WITNESS = 'witness';
const WITNESS_BYTES = '512KiB';
const ID = 'plan-';

/** A text as one word of a shell. */
function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** What is predicted, and for which stream. */
function predictionOf(predicted: PlannedDetector['predicted']): readonly (readonly [string, string])[] {
  if (predicted === null) return [['Predicted rates', 'say how many distinct keys or records you expect']];
  const { falsePositiveRate, falseNegativeRate, stream } = predicted;
  return [
    ['False positives, predicted', rate(falsePositiveRate)],
    ['False negatives, predicted', rate(falseNegativeRate)],
    ['Predicted for', stream],
  ];
}

export interface PlanFormOptions {
  headers(): Record<string, string>;
  /** The port of the protocol of Redis. */
  port(): number;
}

type Asked = Readonly<Record<string, string>>;

export class PlanForm implements View {
  readonly title = 'Plan a detector';
  readonly root: HTMLElement;
  readonly #options: PlanFormOptions;
  readonly #name = element('input', {
    id: `${ID}name`,
    required: true,
    value: 'events',
    autocomplete: 'off',
    spellcheck: 'false',
  });
  readonly #inputs = new Map(fields.map((field) => [field.option, inputOf(field)]));
  readonly #witness = element('input', { id: `${ID}${WITNESS}`, type: 'checkbox' });
  readonly #submit = element('button', { type: 'submit', class: 'primary' }, 'Plan');
  readonly #said = element('p', { class: 'said', role: 'status' });
  readonly #result = element('div', { class: 'result' });

  constructor(options: PlanFormOptions) {
    this.#options = options;
    const form = element(
      'form',
      { class: 'card form' },
      element('label', { for: `${ID}name` }, 'Name'),
      this.#name,
      ...fields.flatMap((field) => [labelOf(field), this.#inputs.get(field.option) as HTMLElement]),
      element(
        'div',
        { class: 'check' },
        this.#witness,
        element('label', { for: this.#witness.id }, `Measure the rates of errors with a witness of ${WITNESS_BYTES}`),
      ),
      this.#submit,
    );
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      void this.#plan();
    });
    this.root = element(
      'div',
      { class: 'view' },
      element('h1', {}, 'Plan a detector'),
      element(
        'p',
        { class: 'lead' },
        'Say what you know of the stream. The page writes the command, and changes nothing by itself.',
      ),
      element('div', { class: 'planning' }, form, element('div', {}, this.#said, this.#result)),
    );
  }

  show(): void {}

  close(): void {}

  #request(): Asked {
    const entries = [...this.#inputs].map(([option, input]) => [option, input.value.trim()] as const);
    const witness = this.#witness.checked ? [[WITNESS, WITNESS_BYTES] as const] : [];
    return Object.fromEntries([...entries.filter(([, value]) => value !== ''), ...witness]);
  }

  async #plan(): Promise<void> {
    const request = this.#request();
    this.#submit.disabled = true;
    setText(this.#said, 'Planning, which may take some seconds');
    this.#result.replaceChildren();
    try {
      const headers = { 'Content-Type': 'application/json', ...this.#options.headers() };
      const response = await fetch('plan', { method: 'POST', headers, body: JSON.stringify(request) });
      const reply = await response.json();
      if (response.ok) this.#showPlan(reply, request);
      else setText(this.#said, reply.detail);
    } catch {
      setText(this.#said, 'The server does not answer. Try again.');
    } finally {
      this.#submit.disabled = false;
    }
  }

  #showPlan(
    { algorithm, layout, memoryBytes, falsePositiveRate, falseNegatives, predicted }: PlannedDetector,
    request: Asked,
  ): void {
    const facts: readonly (readonly [string, string])[] = [
      ['Algorithm', `${algorithm}, ${layout}`],
      ['Memory', bytes(memoryBytes)],
      ['False positives, at most', rate(falsePositiveRate)],
      ['False negatives', missesText(falseNegatives)],
      ...predictionOf(predicted),
    ];
    const pairs = facts.map(([name, value]) => element('div', {}, element('dt', {}, name), element('dd', {}, value)));
    setText(this.#said, `The planner takes ${algorithm} with ${bytes(memoryBytes)}.`);
    this.#result.replaceChildren(
      element(
        'section',
        { class: 'card', 'aria-label': 'Plan' },
        element('h2', {}, 'Plan'),
        element('dl', { class: 'facts' }, ...pairs),
      ),
      commandOf('With redis-cli', this.#redisCommand(request)),
      commandOf('With curl', this.#curlCommand(request)),
    );
  }

  #redisCommand(request: Asked): string {
    const words = Object.entries(request).flatMap(([option, value]) => [option.toUpperCase(), quoted(value)]);
    const host = location.hostname.replace(/^\[|\]$/g, '');
    const tls = location.protocol === 'https:' ? ['--tls'] : [];
    const password = this.#needsToken ? ['--askpass'] : [];
    const name = quoted(this.#name.value);
    return [
      'redis-cli',
      '-h',
      host,
      '-p',
      String(this.#options.port()),
      ...tls,
      ...password,
      'FS.CREATE',
      name,
      ...words,
    ].join(' ');
  }

  #curlCommand(request: Asked): string {
    const url = `${location.origin}/detectors/${encodeURIComponent(this.#name.value)}`;
    const token = this.#needsToken ? [`-H "Authorization: Bearer $TOKEN"`] : [];
    const body = quoted(JSON.stringify(request));
    return ['curl', '-X', 'PUT', quoted(url), ...token, "-H 'Content-Type: application/json'", '-d', body].join(' ');
  }

  get #needsToken(): boolean {
    return Object.keys(this.#options.headers()).length > 0;
  }
}

function inputOf({ option, example }: Field): HTMLInputElement {
  const describedBy = `${ID}${option}-hint`;
  return element('input', {
    ...{ id: `${ID}${option}`, placeholder: example, autocomplete: 'off', spellcheck: 'false' },
    'aria-describedby': describedBy,
  });
}

function labelOf({ option, label, hint }: Field): HTMLElement {
  const text = element('span', { class: 'hint', id: `${ID}${option}-hint` }, hint);
  return element('div', { class: 'label' }, element('label', { for: `${ID}${option}` }, label), text);
}

/** A command with a button that copies it. */
function commandOf(title: string, command: string): HTMLElement {
  const code = element('code', {}, command);
  const copy = button('Copy', async () => {
    await navigator.clipboard.writeText(command).then(
      () => setText(copy, 'Copied'),
      // Without the permission, the text is selected, so that a key copies it.
      () => getSelection()?.selectAllChildren(code),
    );
  });
  copy.setAttribute('aria-label', `Copy the command, ${title.toLowerCase()}`);
  const place = element('pre', { tabindex: '0', role: 'group', 'aria-label': `Command, ${title.toLowerCase()}` }, code);
  return element(
    'section',
    { class: 'card command' },
    element('div', { class: 'head' }, element('h2', {}, title), copy),
    place,
  );
}
