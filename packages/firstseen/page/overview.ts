// The first view: the server as a whole, and its detectors.

import type { WatchedServer, WatchMessage } from '../src/serve/http/watch/messages.js';
import { AttentionList } from './attention.js';
import { element } from './dom.js';
import { age, bytes, count, milliseconds, perSecond, seconds, UNKNOWN } from './format.js';
import type { List } from './list.js';
import { distinctOf, lineOf, MIN_COUNT, Plot } from './plot.js';
import type { PointHistory } from './points.js';
import { SpanChoice } from './spanchoice.js';
import { Tile, tilesOf } from './tile.js';
import type { View } from './view.js';

const MILLISECONDS = 1000;

export const distinctLine = { label: 'Distinct/s', color: '--distinct', isFilled: true, values: distinctOf };
export const duplicatesLine = lineOf('duplicates', { label: 'Duplicates/s', color: '--duplicate', isFilled: true });

export class Overview implements View {
  readonly title = 'Overview';
  readonly root: HTMLElement;
  readonly #list: List;
  readonly #totals: PointHistory;
  readonly #span = new SpanChoice(() => this.#showPlots());
  readonly #records = new Tile('Records/s');
  readonly #distinct = new Tile('Distinct/s');
  readonly #duplicates = new Tile('Duplicates/s');
  readonly #attention = new AttentionList();
  readonly #commands = new Tile('Commands/s');
  readonly #times = new Tile('Command time');
  readonly #errors = new Tile('Errors/s');
  readonly #refusals = new Tile('Refused keys/s');
  readonly #memory = new Tile('Memory of detectors');
  readonly #clients = new Tile('Clients');
  readonly #log = new Tile('Log');
  readonly #snapshot = new Tile('Last snapshot');
  readonly #throughput = new Plot({
    title: 'Records of all detectors',
    lines: [distinctLine, duplicatesLine],
    format: perSecond,
    least: MIN_COUNT,
  });

  constructor(list: List, totals: PointHistory) {
    this.#list = list;
    this.#totals = totals;
    const tiles = [
      ...[this.#records, this.#distinct, this.#duplicates],
      ...[this.#commands, this.#times, this.#errors, this.#refusals],
      ...[this.#memory, this.#clients, this.#log, this.#snapshot],
    ];
    this.root = element(
      'div',
      { class: 'view' },
      element('div', { class: 'head' }, element('h1', {}, 'Overview'), this.#span.root),
      this.#attention.root,
      tilesOf('Summary', tiles),
      this.#throughput.root,
      list.root,
    );
  }

  show(message: WatchMessage): void {
    const { server, time } = message;
    const { recordsPerSecond, duplicatesPerSecond } = server;
    this.#records.show(perSecond(recordsPerSecond), `${count(server.detectors)} detectors`);
    const distinct = recordsPerSecond === null ? null : recordsPerSecond - (duplicatesPerSecond ?? 0);
    this.#distinct.show(perSecond(distinct), 'reported as new');
    this.#duplicates.show(perSecond(duplicatesPerSecond), shareOf(duplicatesPerSecond, recordsPerSecond));
    this.#memory.show(bytes(server.usedBytes), `of ${bytes(server.memoryBytes)}`);
    this.#memory.showShare(server.usedBytes / server.memoryBytes);
    const refused =
      server.refusedConnections > 0
        ? `${count(server.refusedConnections)} refused`
        : 'connected by the protocol of Redis';
    this.#clients.show(count(server.clients), refused);
    this.#showCommands(server);
    this.#showLog(server.log, time);
    this.#attention.show(message);
    this.#showPlots();
    this.#list.show(message);
  }

  close(): void {
    this.#throughput.close();
  }

  #showCommands({
    commands,
    commandsPerSecond,
    errorsPerSecond,
    refusalsPerSecond,
    commandSeconds,
  }: WatchedServer): void {
    this.#commands.show(perSecond(commandsPerSecond), `${count(commands)} so far, of Redis`);
    this.#errors.show(perSecond(errorsPerSecond), 'commands answered with an error', errorsPerSecond > 0 ? 'warn' : '');
    this.#refusals.show(
      perSecond(refusalsPerSecond),
      'by detectors, such as full ones',
      refusalsPerSecond > 0 ? 'bad' : '',
    );
    if (commandSeconds === null) this.#times.show(UNKNOWN, 'no command in the last minute');
    else this.#times.show(within(commandSeconds.most), `99 % of the last minute; half ${within(commandSeconds.half)}`);
  }

  #showLog(log: WatchedServer['log'], time: number): void {
    if (log === null) {
      this.#log.show('Off', 'in memory only: a restart forgets all', 'bad');
      this.#snapshot.show(UNKNOWN);
      return;
    }
    const sync = log.syncSeconds === null ? 'no sync yet' : `last sync ${milliseconds(log.syncSeconds * MILLISECONDS)}`;
    if (log.problem === null) this.#log.show(bytes(log.bytes), `durability ${log.durability}; ${sync}`);
    else this.#log.show('Refused', `nothing is changed: ${log.problem}`, 'bad');
    if (log.snapshotAt === null) this.#snapshot.show('None', 'the log has all changes');
    else this.#snapshot.show(`${age((time - log.snapshotAt) / MILLISECONDS)} ago`);
  }

  #showPlots(): void {
    this.#throughput.show(this.#totals.of(this.#span.span), this.#span.span);
  }
}

/** The limit of a time; null is beyond the longest that is told apart. */
function within(limit: number | null): string {
  return limit === null ? 'over 10 s' : `≤ ${seconds(limit)}`;
}

function shareOf(part: number | null, whole: number | null): string {
  if (part === null || whole === null || whole === 0) return 'of the records';
  return `${((100 * part) / whole).toFixed(1)} % of the records`;
}
