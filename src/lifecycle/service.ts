/**
 * Something that runs beside requests: a loop, a listener, a pool. `start` resolves when it works; `stop`
 * resolves when nothing of it is left. Both may be called twice, and `stop` without `start`.
 */
export interface Service {
  readonly name: string;
  /** Its `stop` waits for work that is under way. All that do are stopped at once, so that there is one wait. */
  readonly drains?: true;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts services in order; when one fails, stops those already started and rethrows. */
export async function startAll(services: readonly Service[]): Promise<void> {
  for (const [index, service] of services.entries()) {
    try {
      await service.start();
    } catch (error) {
      await stopAll(services.slice(0, index));
      throw error;
    }
  }
}

/**
 * Stops those that drain at once, then the others in reverse order. A failing stop does not keep the others from
 * stopping; the first failure is rethrown.
 */
export async function stopAll(services: readonly Service[]): Promise<void> {
  const failures: unknown[] = [];
  const stop = (service: Service) => service.stop().catch((error: unknown) => failures.push(error));
  await Promise.all(services.filter(({ drains }) => drains).map(stop));
  for (const service of services.filter(({ drains }) => !drains).toReversed()) await stop(service);
  if (failures.length > 0) throw failures[0];
}
