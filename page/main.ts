// The page: settings to the worker, numbers of the worker to the table and the drawings.

import { byId, Controls } from './controls.js';
import { Course } from './course.js';
import { Drawings } from './drawings.js';
import { showDescription, showFigures } from './figures.js';
import { bytesText, countText, shortCount } from './format.js';
import type { Ending, LimitPoint, Report, Request } from './messages.js';

/** Numbers change slowly enough to be read. */
const FIGURES_MILLISECONDS = 250;
/** With reduced motion, everything changes once in this time. */
const CALM_MILLISECONDS = 1000;
const SPEED_MILLISECONDS = 1000;

const calm = matchMedia('(prefers-reduced-motion: reduce)');
const status = byId('status');
const runButton = byId('run');

/** The text of the worker is in the page, so that one file is all. */
function newWorker(): Worker {
  const text = byId('worker').textContent ?? '';
  return new Worker(URL.createObjectURL(new Blob([text], { type: 'text/javascript' })));
}

const endings: Readonly<Record<Ending, (records: string) => string>> = {
  records: (records) => `Stopped after ${records} records, as you asked.`,
  file: (records) => `The whole file was read: ${records} lines.`,
  'exact set': (records) =>
    `Stopped after ${records} records: the exact set has as much memory as this page gives it. The detector would go on, in the same memory.`,
};

class Page {
  readonly #worker = newWorker();
  readonly #controls = new Controls({ onSettings: () => this.#begin(), onPace: () => this.#setPace() });
  readonly #drawings = new Drawings(() => this.#change());
  #course = new Course();
  #limit: readonly LimitPoint[] = [];
  #trial = 0;
  #isRunning = !calm.matches;
  #hasEnded = false;
  #isDrawn = true;
  #drawnAt = 0;
  #figuresAt = 0;
  #speedFrom = { at: 0, records: 0 };

  constructor() {
    this.#worker.addEventListener('message', ({ data }: MessageEvent<Report>) => this.#take(data));
    this.#worker.addEventListener('error', ({ message = 'it does not start' }) =>
      this.#say(`The worker failed: ${message}`, 'bad'),
    );
    runButton.addEventListener('click', () => this.#toggle());
    byId('restart').addEventListener('click', () => {
      this.#isRunning = true;
      this.#begin();
    });
    document.addEventListener('visibilitychange', () => this.#sendRunning());
  }

  #send(request: Request): void {
    this.#worker.postMessage(request);
  }

  /** A hidden page takes no processor time. */
  #sendRunning(): void {
    this.#send({ kind: 'run', isRunning: this.#isRunning && !document.hidden });
    runButton.textContent = this.#isRunning ? 'Pause' : 'Run';
    this.#speedFrom = { at: performance.now(), records: this.#course.latest?.records ?? 0 };
  }

  #setPace(): void {
    this.#send({ kind: 'pace', recordsPerSecond: this.#controls.recordsPerSecond });
  }

  #toggle(): void {
    this.#isRunning = this.#hasEnded || !this.#isRunning;
    if (this.#hasEnded) this.#begin();
    else {
      this.#say(this.#isRunning ? 'Running.' : 'Paused.');
      this.#sendRunning();
    }
  }

  #begin(): void {
    this.#trial++;
    this.#course = new Course();
    this.#limit = [];
    this.#hasEnded = false;
    const { settings, file, stream } = this.#controls;
    this.#setPace();
    this.#sendRunning();
    this.#change();
    if (stream === 'file' && file === undefined) {
      this.#send({ kind: 'run', isRunning: false });
      this.#say('Choose a file, or drop one on this page.');
      return;
    }
    this.#say(this.#isRunning ? 'Running.' : 'Ready. Press Run to start.');
    this.#send({ kind: 'start', trial: this.#trial, settings, file });
  }

  #say(text: string, tone = ''): void {
    status.textContent = text;
    status.dataset.tone = tone;
  }

  #take(report: Report): void {
    if (report.kind === 'ready') {
      this.#controls.offer(report.families, report.automatic);
      this.#begin();
      return;
    }
    if (report.trial !== this.#trial) return;
    switch (report.kind) {
      case 'started':
        showDescription(report.description, bytesText(this.#controls.settings.memoryBytes));
        break;
      case 'progress':
        this.#course.add(report.progress);
        break;
      case 'limit':
        this.#limit = report.limit;
        break;
      case 'ended':
        this.#end(report.ending);
        break;
      case 'problem':
        this.#hasEnded = true;
        runButton.textContent = 'Run again';
        this.#say(report.message, 'bad');
        break;
    }
    this.#change();
  }

  #end(ending: Ending): void {
    this.#hasEnded = true;
    runButton.textContent = 'Run again';
    this.#drawnAt = 0;
    // The end is told with its figures, not a frame before them.
    this.#showFigures(performance.now());
    this.#say(endings[ending](countText(this.#course.latest?.records ?? 0)));
  }

  /** Draws at the next frame. */
  #change(): void {
    if (!this.#isDrawn) return;
    this.#isDrawn = false;
    requestAnimationFrame((now) => this.#draw(now));
  }

  #draw(now: number): void {
    if (calm.matches && now - this.#drawnAt < CALM_MILLISECONDS) {
      requestAnimationFrame((later) => this.#draw(later));
      return;
    }
    this.#isDrawn = true;
    this.#drawnAt = now;
    const { memoryBytes } = this.#controls.settings;
    this.#drawings.show({ course: this.#course, limit: this.#limit, memoryBytes, hasTrails: !calm.matches });
    this.#drawings.draw();
    if (now - this.#figuresAt >= FIGURES_MILLISECONDS) this.#showFigures(now);
  }

  #showFigures(now: number): void {
    const { latest } = this.#course;
    if (latest === undefined) return;
    this.#figuresAt = now;
    showFigures(latest, this.#limit);
    this.#showSpeed(now, latest.records);
  }

  #showSpeed(now: number, records: number): void {
    const { at, records: before } = this.#speedFrom;
    if (this.#hasEnded || records < before) this.#speedFrom = { at: now, records };
    if (now - at < SPEED_MILLISECONDS) return;
    byId('speed').textContent = this.#isRunning
      ? shortCount(Math.round((1000 * (records - before)) / (now - at)))
      : '0';
    this.#speedFrom = { at: now, records };
  }
}

new Page();
