// Detectors that are sent to a server while it is killed. Each is there as a whole once it was acknowledged, and as a whole or not at all before.

const TYPE = { 'Content-Type': 'application/octet-stream' };
/** Detectors that are sent between two kills. */
const MAX_SENT = 4;

function addressOf(httpPort, name) {
  return `http://127.0.0.1:${httpPort}/detectors/${name}/snapshot`;
}

export class SentDetectors {
  #snapshot;
  #next = 0;
  #left = 0;
  #acknowledged = new Set();
  /** Whether one was acknowledged since the last start. */
  hasSent = false;

  /** Takes the snapshot of a detector, which is sent under other names. */
  async take(httpPort, name) {
    const reply = await fetch(addressOf(httpPort, name));
    if (!reply.ok) throw new Error(`the snapshot of ${name} cannot be had: ${await reply.text()}`);
    this.#snapshot = Buffer.from(await reply.arrayBuffer());
  }

  begin() {
    this.#left = MAX_SENT;
    this.hasSent = false;
  }

  async send(httpPort) {
    if (this.#left <= 0) return;
    this.#left--;
    const name = `sent-${this.#next++}`;
    try {
      const reply = await fetch(addressOf(httpPort, name), { method: 'PUT', headers: TYPE, body: this.#snapshot });
      await reply.text();
      if (reply.status !== 201) return;
      this.#acknowledged.add(name);
      this.hasSent = true;
    } catch {
      // The server was killed.
    }
  }

  /** The differences between what is there, what was acknowledged, and the names that another reader of the folder has found. */
  differences(names, expected) {
    const lost = [...this.#acknowledged].filter((name) => !names.includes(name));
    const sentIn = (all) => all.filter((name) => name.startsWith('sent-')).sort();
    const [found, read] = [sentIn(names), sentIn([...expected.keys()])].map((all) => all.join(' '));
    return [
      ...(lost.length > 0 ? [`${lost.length} detectors that were sent are not there, the first ${lost[0]}`] : []),
      ...(found === read ? [] : [`the detectors that were sent are ${found}, not ${read}`]),
    ];
  }
}
