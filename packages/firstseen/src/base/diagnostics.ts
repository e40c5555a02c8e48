// Events of the library for `node:diagnostics_channel`, where the platform hands it out (Node from 20.16). Elsewhere there are no
// events. Without a subscriber, an event costs one check of its channel.

import { builtinModule } from './platform.js';

interface Channel {
  readonly hasSubscribers: boolean;
  publish(message: unknown): void;
}

function open(name: string): Channel | undefined {
  return builtinModule('node:diagnostics_channel')?.channel(name);
}

/**
 * The channels, by the events that are published on them. docs/MONITORING.md describes their messages, which have no key and no
 * secret.
 */
const channels = {
  create: open('firstseen:create'),
  load: open('firstseen:load'),
  save: open('firstseen:save'),
  deliver: open('firstseen:deliver'),
  overload: open('firstseen:overload'),
} as const;

export type DiagnosticEvent = keyof typeof channels;

/** Tells if these events have a subscriber. */
export function isWatched(event: DiagnosticEvent): boolean {
  return channels[event]?.hasSubscribers ?? false;
}

/** Publishes an event. Its message is made only if there is a subscriber. */
export function tell(event: DiagnosticEvent, message: () => object): void {
  if (isWatched(event)) channels[event]?.publish(message());
}
