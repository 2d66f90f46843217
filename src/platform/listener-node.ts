import { Listener } from '#database/index.ts';
import type { Observe } from '#observability/index.ts';
import type { NodePart } from './feature.ts';
import { CHANNEL } from './platform.ts';

export interface ListenerOptions {
  /** Undefined when there is only a pooler, which passes no wake-ups. */
  readonly sessionUrl: string | undefined;
  readonly applicationName: string;
  readonly parts: readonly NodePart[];
  readonly observe: Observe;
}

const POLLING_ONLY = 'polling only';

/** Hears what other nodes tell, and passes each topic to the parts that know it. */
export function listenerNode({ sessionUrl, applicationName, parts, observe }: ListenerOptions): NodePart {
  if (sessionUrl === undefined)
    return { health: () => [{ name: 'listener', ok: true, detail: POLLING_ONLY }] };
  const listener = new Listener({
    url: sessionUrl,
    channel: CHANNEL,
    applicationName,
    onMessage(message) {
      for (const topic of new Set(message.split(' '))) {
        for (const part of parts) part.onWakeUp?.[topic]?.();
      }
    },
    onConnected: () => observe({ kind: 'listen.connected' }),
    onLost: (error) => observe({ kind: 'listen.lost', error }),
  });
  return {
    services: [listener],
    // Wake-ups only save time: without them polling goes on.
    health: () => [{ name: 'listener', ok: true, detail: listener.connected ? 'connected' : POLLING_ONLY }],
  };
}
