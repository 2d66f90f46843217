import type { HealthPart } from '#lifecycle/index.ts';
import type { HttpExchange } from './http-exchange.ts';
import { jsonPage, type Pages } from './pages.ts';

export interface Health {
  /** True once the server has started. */
  started(): boolean;
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
    '/health/live': () => jsonPage(200, { state: 'up' }),
    '/health/started': () =>
      health.started() ? jsonPage(200, { state: 'up' }) : jsonPage(503, { state: 'starting' }),
    '/health/ready': async (exchange) => {
      const parts = await health.parts();
      const ok = health.started() && parts.every((part) => part.ok);
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
