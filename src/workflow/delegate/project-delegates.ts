import { ProjectModules } from '#config/index.ts';
import type { JsonValue } from '#json/index.ts';
import type { Observe } from '#observability/index.ts';
import type { Connection } from '#resource/index.ts';
import type { DelegateCall } from '../engine/index.ts';
import type { DelegateExecution } from './delegate-view.ts';

/** What a delegate is given: its call (`execution`, `task`, `fields`, …) and the resource functions. */
export interface DelegateContext extends Omit<DelegateCall, 'execution' | 'fields'> {
  readonly execution: DelegateExecution;
  readonly fields: Readonly<Record<string, JsonValue | Date>>;
  readonly svc: Connection;
}

export type DelegateFunction = (call: DelegateContext) => unknown;

/** Delegates by name; what a name means may be found out only now. */
export interface Delegates {
  /** Looks at the files again; to be called before the names are asked for. */
  refresh(): Promise<void>;
  find(name: string): DelegateFunction | undefined;
}

export const noDelegates: Delegates = { refresh: async () => {}, find: () => undefined };

/**
 * Delegates of the project: modules of `service/` that export
 *
 *   export const delegates = { greet: async ({ execution, fields, svc }) => … }
 *
 * A process names one with `${greet}` or `delegateExpression`; a Java class name means the delegate of that name, or
 * of its last part. What it returns is the result of the task. The operator's own code, so not in a sandbox. A
 * changed file is in force at the next step; one that cannot be loaded is reported, and the old one stays.
 */
export class ProjectDelegates implements Delegates {
  readonly #modules: ProjectModules<Map<string, DelegateFunction>>;
  #byName = new Map<string, DelegateFunction>();

  constructor(directory: string, observe: Observe) {
    this.#modules = new ProjectModules({
      directory,
      read: delegatesOf,
      onError: (file, error) => observe({ kind: 'server.failed', part: `loading of service/${file}`, error }),
    });
  }

  async refresh(): Promise<void> {
    await this.#modules.refresh();
    this.#byName = new Map(this.#modules.contents.flatMap((delegates) => [...delegates]));
  }

  find(name: string): DelegateFunction | undefined {
    const lower = name.toLowerCase();
    return this.#byName.get(lower) ?? this.#byName.get(lower.slice(lower.lastIndexOf('.') + 1));
  }
}

function delegatesOf(module: unknown, file: string): Map<string, DelegateFunction> {
  const { delegates } = module as { delegates?: Record<string, unknown> };
  const found = new Map<string, DelegateFunction>();
  for (const [name, run] of Object.entries(delegates ?? {})) {
    if (typeof run !== 'function')
      throw new TypeError(`service/${file}: the delegate '${name}' is no function`);
    found.set(name.toLowerCase(), run as DelegateFunction);
  }
  return found;
}
