import { Hono } from 'hono';

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

/** `/health/live`: the event loop turns. `/health/ready`: it can serve. `/health/started`: it has come up. */
export function healthRoutes(health: Health): Hono {
  const routes = new Hono();
  routes.get('/live', (hono) => hono.json({ state: 'up' }));
  routes.get('/started', (hono) =>
    health.started() ? hono.json({ state: 'up' }) : hono.json({ state: 'starting' }, 503),
  );
  routes.get('/ready', async (hono) => {
    const parts = await health.parts();
    const ok = health.started() && parts.every((part) => part.ok);
    return hono.json(
      {
        state: ok ? 'up' : 'down',
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
