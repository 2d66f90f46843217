import { availableParallelism, freemem, loadavg, platform, release, totalmem } from 'node:os';
import { memoryUsage, uptime, versions } from 'node:process';
import type { Database } from '#database/index.ts';
import { didYouMean, NotFoundError } from '#errors/index.ts';
import type { JsonObject } from '#json/index.ts';
import { collection, type RouteHandler, resource } from '#resource/index.ts';

/** `/health/os`, `/health/memory` and `/health/jdbc`: figures of the node that answers. */
export function healthResource(database: Database): RouteHandler {
  const figures: Readonly<Record<string, () => JsonObject>> = {
    os: () => ({
      availableProcessors: availableParallelism(),
      systemLoadAverage: loadavg()[0]!,
      operatingSystemArchitecture: process.arch,
      operatingSystemName: platform(),
      operatingSystemVersion: release(),
      nodeVersion: versions.node,
      uptimeSeconds: Math.round(uptime()),
    }),
    memory: () => {
      const { heapUsed, heapTotal, rss, external } = memoryUsage();
      return {
        heapMemoryUsage: { init: 0, used: heapUsed, committed: heapTotal, max: totalmem() },
        nonHeapMemoryUsage: { init: 0, used: external, committed: rss, max: totalmem() },
        systemFree: freemem(),
      };
    },
    jdbc: () => ({
      connectionsInUse: database.pool.totalCount - database.pool.idleCount,
      connectionsIdle: database.pool.idleCount,
      requestsWaiting: database.pool.waitingCount,
      connectionsMax: database.pool.options.max ?? 0,
    }),
  };
  return collection({
    async read(_context, _request, id) {
      const read = Object.hasOwn(figures, id) ? figures[id] : undefined;
      if (read === undefined) {
        throw new NotFoundError(`Resource 'health/${id}' not found`, {
          hint: didYouMean(id, Object.keys(figures)) ?? `There are ${Object.keys(figures).join(', ')}`,
        });
      }
      return resource(id, null, read());
    },
  });
}
