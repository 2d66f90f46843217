import { Listener } from '#database/index.ts';
import type { Observe } from '#observability/index.ts';
import type { NodePart } from './node-part.ts';
import { CHANNEL } from './platform.ts';

export interface ListenerOptions {
  readonly databaseUrl: string;
  readonly applicationName: string;
  readonly parts: readonly NodePart[];
  readonly observe: Observe;
}

/** Hears what other nodes tell, and passes each topic to the parts that know it. */
export function listenerNode({ databaseUrl, applicationName, parts, observe }: ListenerOptions): NodePart {
  const listener = new Listener({
    url: databaseUrl,
    channel: CHANNEL,
    applicationName,
    onMessage(message) {
      for (const topic of new Set(message.split(' '))) {
        for (const part of parts) part.onTopic?.[topic]?.();
      }
    },
    onConnected: () => observe({ kind: 'listen.connected' }),
    onLost: (error) => observe({ kind: 'listen.lost', error }),
  });
  return {
    services: [listener],
    // Wake-ups only save time: without them polling goes on.
    health: () => [{ name: 'listener', ok: true, detail: listener.connected ? 'connected' : 'polling only' }],
  };
}
