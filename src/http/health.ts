import { Hono, type Context as HonoContext } from 'hono';

/** One part of readiness: what it is, whether it is well, and what to know about it. */
export interface HealthPart {
  readonly name: string;
  readonly ok: boolean;
  readonly detail?: string;
}

export interface Health {
  /** True once the server has started. */
  started(): boolean;
  parts(): Promise<readonly HealthPart[]>;
}

/**
 * `/health/live`: the event loop turns. `/health/ready`: it can serve. `/health/started`: it has come up. Probes need no
 * credentials; the parts of readiness are shown to those who may look inside.
 */
export function healthRoutes(health: Health, mayDiagnose: (hono: HonoContext) => Promise<boolean>): Hono {
  const routes = new Hono();
  routes.get('/live', (hono) => hono.json({ state: 'up' }));
  routes.get('/started', (hono) =>
    health.started() ? hono.json({ state: 'up' }) : hono.json({ state: 'starting' }, 503),
  );
  routes.get('/ready', async (hono) => {
    const parts = await health.parts();
    const ok = health.started() && parts.every((part) => part.ok);
    const state = ok ? 'up' : 'down';
    if (!(await mayDiagnose(hono))) return hono.json({ state }, ok ? 200 : 503);
    return hono.json(
      {
        state,
        parts: Object.fromEntries(
          parts.map(({ name, ok: up, detail }) => [
            name,
            { state: up ? 'up' : 'down', ...(detail === undefined ? {} : { detail }) },
          ]),
        ),
      },
      ok ? 200 : 503,
    );
  });
  return routes;
}
