import type { ConfigChange, OnConfigChange } from './config-change.ts';
import type { Report } from './config-report.ts';

/** Whoever follows the configuration. */
export class ConfigListeners {
  readonly #listeners = new Set<OnConfigChange>();

  /** @returns the end of it */
  add(onChange: OnConfigChange): () => void {
    // A wrapper of its own, so that one function that watches twice is told twice and ends one at a time.
    const listener: OnConfigChange = (change) => onChange(change);
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Tells all of all changes. @throws AggregateError when some of them failed */
  async tell(changes: readonly ConfigChange[], report: Report): Promise<void> {
    const failures: unknown[] = [];
    for (const change of changes) {
      for (const listener of this.#listeners) {
        try {
          await listener(change);
        } catch (error) {
          failures.push(error);
        }
      }
      report({ kind: 'config.changed', id: change.id, change: change.kind });
    }
    if (failures.length > 0)
      throw new AggregateError(failures, 'A part could not follow a configuration change');
  }
}
