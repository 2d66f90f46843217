import type { HealthPart } from '#lifecycle/index.ts';
import type { HttpExchange } from './http-exchange.ts';
import { jsonPage, type Pages } from './pages.ts';

export interface Health {
  /** Whether the thread answers that holds the node's place in the cluster. */
  live(): Promise<boolean>;
  /** True once the server has started. */
  started(): Promise<boolean>;
  parts(): Promise<readonly HealthPart[]>;
}

/**
 * `/health/live`: the event loop turns. `/health/ready`: it can serve. `/health/started`: it has come up. Probes need no
 * credentials; the parts of readiness are shown to those who may look inside.
 */
export function healthPages(
  health: Health,
  mayDiagnose: (exchange: HttpExchange) => Promise<boolean>,
): Pages {
  return {
    '/health/live': async () =>
      (await health.live()) ? jsonPage(200, { state: 'up' }) : jsonPage(503, { state: 'down' }),
    '/health/started': async () =>
      (await health.started()) ? jsonPage(200, { state: 'up' }) : jsonPage(503, { state: 'starting' }),
    '/health/ready': async (exchange) => {
      const parts = await health.parts();
      const ok = (await health.started()) && parts.every((part) => part.ok);
      const isShown = await mayDiagnose(exchange).catch(() => false);
      return jsonPage(ok ? 200 : 503, { state: ok ? 'up' : 'down', ...(isShown ? shown(parts) : {}) });
    },
  };
}

function shown(parts: readonly HealthPart[]) {
  const stateOf = ({ name, ok, detail }: HealthPart) => [
    name,
    { state: ok ? 'up' : 'down', ...(detail === undefined ? {} : { detail }) },
  ];
  return { parts: Object.fromEntries(parts.map(stateOf)) };
}
