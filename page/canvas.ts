// What the drawings share: a canvas in the resolution of the screen, the colors of the style, axes and marks.

import type { Contender } from './messages.js';

export interface Look {
  /** The custom property of the style that has its color. */
  color: string;
  dash: readonly number[];
}

export const looks = {
  detector: { color: '--distinct', dash: [] },
  bloom: { color: '--duplicate', dash: [7, 4] },
  cache: { color: '--missed', dash: [2, 3] },
  exact: { color: '--exact', dash: [] },
  limit: { color: '--muted', dash: [10, 4, 2, 4] },
} as const satisfies Readonly<Record<Contender | 'exact' | 'limit', Look>>;

export const names = { detector: 'firstseen', bloom: 'Bloom filter', cache: 'LRU cache' } as const satisfies Record<
  Contender,
  string
>;

export const FONT_PIXELS = 12;
const MARK_PIXELS = 5;
const RIM_PIXELS = 5;
const FULL_TURN = 2 * Math.PI;

export type Point = readonly [x: number, y: number];

export interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** A canvas, its size in pixels of the style, and the colors of the style. */
export class Surface {
  readonly context: CanvasRenderingContext2D;
  width = 0;
  height = 0;
  readonly #canvas: HTMLCanvasElement;
  #colors = new Map<string, string>();

  constructor(canvas: HTMLCanvasElement, onChange: () => void) {
    this.#canvas = canvas;
    this.context = canvas.getContext('2d') as CanvasRenderingContext2D;
    new ResizeObserver(() => {
      this.#fit();
      onChange();
    }).observe(canvas);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
      this.#colors.clear();
      onChange();
    });
    this.#fit();
  }

  #fit(): void {
    const { clientWidth, clientHeight } = this.#canvas;
    [this.width, this.height] = [clientWidth, clientHeight];
    this.#canvas.width = Math.round(clientWidth * devicePixelRatio);
    this.#canvas.height = Math.round(clientHeight * devicePixelRatio);
  }

  /** The value of a custom property: it is asked for once, because asking has the page laid out. */
  color(property: string): string {
    const color = this.#colors.get(property) ?? getComputedStyle(this.#canvas).getPropertyValue(property).trim();
    this.#colors.set(property, color);
    return color;
  }

  clear(): void {
    const { context } = this;
    context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
    context.clearRect(0, 0, this.width, this.height);
    context.font = `${FONT_PIXELS}px system-ui, -apple-system, "Segoe UI", Roboto, "Open Sans", sans-serif`;
    context.textBaseline = 'middle';
  }

  /** The box inside margins, in which something is drawn. */
  within({ left, top, right, bottom }: Box): Box {
    return { left, top, right: this.width - right, bottom: this.height - bottom };
  }

  describe(text: string): void {
    this.#canvas.setAttribute('aria-label', text);
  }

  text(text: string, x: number, y: number, align: CanvasTextAlign = 'left', color = '--muted'): void {
    this.context.textAlign = align;
    this.context.fillStyle = this.color(color);
    this.context.fillText(text, x, y);
  }

  /** A text with a rim in the color of the card, which is read on lines and hatching. */
  rimmed(...[text, x, y, align = 'left', color]: Parameters<Surface['text']>): void {
    this.context.textAlign = align;
    this.context.lineWidth = RIM_PIXELS;
    this.context.lineJoin = 'round';
    this.context.strokeStyle = this.color('--card');
    this.context.strokeText(text, x, y);
    this.text(text, x, y, align, color);
  }

  line(points: readonly Point[], { color, dash }: Look, width = 2): void {
    const { context } = this;
    context.beginPath();
    for (const [x, y] of points) context.lineTo(x, y);
    context.setLineDash([...dash]);
    context.lineWidth = width;
    context.lineJoin = 'round';
    context.strokeStyle = this.color(color);
    context.stroke();
    context.setLineDash([]);
  }

  /** A thin line, as of a grid. */
  thinLine(from: Point, to: Point, color = '--grid'): void {
    this.line([from, to], { color, dash: [] }, 1);
  }

  /** The mark of a structure, with a rim in the color of the card, so that marks on one another are told apart. */
  mark(name: Contender, x: number, y: number): void {
    const { context } = this;
    const size = MARK_PIXELS;
    context.beginPath();
    if (name === 'detector') context.arc(x, y, size, 0, FULL_TURN);
    else if (name === 'bloom') context.rect(x - size, y - size, 2 * size, 2 * size);
    else {
      context.moveTo(x, y - size - 1);
      context.lineTo(x + size + 1, y + size);
      context.lineTo(x - size - 1, y + size);
      context.closePath();
    }
    context.lineWidth = 3;
    context.strokeStyle = this.color('--card');
    context.stroke();
    context.fillStyle = this.color(looks[name].color);
    context.fill();
  }
}
