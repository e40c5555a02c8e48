// The settings of the page: the form, and the address that keeps them.

import { bytesText, countText } from './format.js';
import type { OfferedFamily, StreamName, TrialSettings } from './messages.js';

/** The stops of the slider of keys. Bursts have a tenth of them at the same time. */
const keyStops = [1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6, 2e6, 5e6, 1e7];
const BURSTS_PART = 10;

const keyLabels: Readonly<Record<StreamName, string>> = {
  bursts: 'Keys at the same time',
  uniform: 'Different keys',
  skewed: 'Different keys',
  file: '',
};

/** The settings that do not change the numbers, only how soon they come. */
const PACE = 'pace';
const FILE = 'file';

type Field = HTMLInputElement | HTMLSelectElement;

export function byId<Kind extends HTMLElement = HTMLElement>(id: string): Kind {
  return document.getElementById(id) as Kind;
}

export interface ControlEvents {
  /** The numbers change with the settings, so the trial begins again. */
  onSettings(): void;
  onPace(): void;
}

export class Controls {
  readonly #form = byId<HTMLFormElement>('settings');
  readonly #events: ControlEvents;

  constructor(events: ControlEvents) {
    this.#events = events;
    this.#form.addEventListener('submit', (event) => event.preventDefault());
    // A slider tells each of its stops while it moves, the others when they have been changed.
    this.#form.addEventListener('input', () => this.#label());
    this.#form.addEventListener('change', ({ target }) => this.#changed((target as Field).name));
    addEventListener('dragover', (event) => {
      event.preventDefault();
      document.body.dataset.dropping = '';
    });
    addEventListener('dragleave', () => delete document.body.dataset.dropping);
    addEventListener('drop', (event) => this.#drop(event));
    this.#readAddress();
    this.#label();
  }

  get stream(): StreamName {
    return this.#value('stream') as StreamName;
  }

  get file(): File | undefined {
    return this.stream === 'file' ? (this.#field(FILE) as HTMLInputElement).files?.[0] : undefined;
  }

  get recordsPerSecond(): number {
    return Number(this.#value(PACE));
  }

  get settings(): TrialSettings {
    const records = Number(this.#value('records'));
    return {
      stream: this.stream,
      keys: this.#keys,
      memoryBytes: 2 ** Number(this.#value('memory')),
      algorithm: this.#value('algorithm') as TrialSettings['algorithm'],
      fpr: Number(this.#value('fpr')),
      seed: Number(this.#value('seed')),
      ...(records > 0 ? { records } : {}),
    };
  }

  /** Fills in the families, which the worker knows. */
  offer(families: readonly OfferedFamily[], automatic: string): void {
    const select = this.#field('algorithm') as HTMLSelectElement;
    const { value } = select;
    (select.options[0] as HTMLOptionElement).text = `auto, which takes ${automatic}`;
    for (const { name, title } of families) {
      if (![...select.options].some((option) => option.value === name)) select.add(new Option('', name));
      const option = [...select.options].find((one) => one.value === name) as HTMLOptionElement;
      option.text = `${name}: ${title}`;
    }
    select.value = value;
  }

  get #keys(): number {
    const keys = keyStops[Number(this.#value('keys'))] ?? (keyStops[0] as number);
    return this.stream === 'bursts' ? keys / BURSTS_PART : keys;
  }

  #value(name: string): string {
    return String(new FormData(this.#form).get(name) ?? '');
  }

  #field(name: string): Field {
    return this.#form.elements.namedItem(name) as Field;
  }

  #changed(name: string): void {
    this.#label();
    this.#writeAddress();
    if (name === PACE) this.#events.onPace();
    else this.#events.onSettings();
  }

  #label(): void {
    const isFile = this.stream === 'file';
    byId('keys-field').hidden = isFile;
    byId('file-field').hidden = !isFile;
    byId('keys-label').textContent = keyLabels[this.stream];
    this.#tell('keys', countText(this.#keys));
    this.#tell('memory', bytesText(2 ** Number(this.#value('memory'))));
  }

  /** Writes the value of a slider beside it, and for those who hear it. */
  #tell(name: string, text: string): void {
    byId(`${name}-value`).textContent = text;
    this.#field(name).setAttribute('aria-valuetext', text);
  }

  #drop(event: DragEvent): void {
    event.preventDefault();
    delete document.body.dataset.dropping;
    const files = event.dataTransfer?.files;
    if (!files || files.length === 0) return;
    (this.#field(FILE) as HTMLInputElement).files = files;
    this.#set('stream', 'file');
    this.#changed('stream');
  }

  #readAddress(): void {
    for (const [name, value] of new URLSearchParams(location.hash.slice(1))) this.#set(name, value);
  }

  #writeAddress(): void {
    const values = [...new FormData(this.#form)].filter(([, value]) => typeof value === 'string' && value !== '');
    location.replace(`#${new URLSearchParams(values as [string, string][])}`);
  }

  /** Sets a field. An address may have a number that no choice of the form has, or the name of a family before it is offered. */
  #set(name: string, value: string): void {
    const field: Field | RadioNodeList | null = this.#form.elements.namedItem(name) as Field | RadioNodeList | null;
    if (field === null || name === FILE) return;
    if (field instanceof HTMLSelectElement && ![...field.options].some((option) => option.value === value)) {
      if (name !== 'algorithm' && !(Number(value) > 0)) return;
      field.add(new Option(name === 'algorithm' ? value : countText(Number(value)), value));
    }
    field.value = value;
  }
}
