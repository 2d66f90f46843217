import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { JsonValue } from '#json/index.ts';
import type { Observe } from '#observability/index.ts';
import type { Connection } from '#resource/index.ts';
import type { DelegateCall } from '../engine/index.ts';
import type { DelegateExecution } from './delegate-view.ts';

/** The files are looked at again at most so often. */
const LOOK_INTERVAL_MS = 250;
const MODULE = /^[^._].*\.(?:ts|mts|js|mjs)$/;

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
  readonly #directory: string;
  readonly #observe: Observe;
  readonly #loaded = new Map<string, { version: number; delegates: Map<string, DelegateFunction> }>();
  #byName = new Map<string, DelegateFunction>();
  #lookedAt = 0;
  #looking: Promise<void> | undefined;

  constructor(directory: string, observe: Observe) {
    this.#directory = directory;
    this.#observe = observe;
  }

  async refresh(): Promise<void> {
    if (this.#lookedAt !== 0 && performance.now() - this.#lookedAt < LOOK_INTERVAL_MS) return;
    this.#looking ??= this.#look().finally(() => {
      this.#lookedAt = performance.now();
      this.#looking = undefined;
    });
    await this.#looking;
  }

  find(name: string): DelegateFunction | undefined {
    const lower = name.toLowerCase();
    return this.#byName.get(lower) ?? this.#byName.get(lower.slice(lower.lastIndexOf('.') + 1));
  }

  async #look(): Promise<void> {
    const names = await readdir(this.#directory).catch(() => []);
    const files = names.filter((name) => MODULE.test(name)).sort();
    for (const gone of [...this.#loaded.keys()].filter((file) => !files.includes(file)))
      this.#loaded.delete(gone);
    for (const file of files) await this.#load(file);
    this.#byName = new Map([...this.#loaded.values()].flatMap(({ delegates }) => [...delegates]));
  }

  async #load(file: string): Promise<void> {
    const path = join(this.#directory, file);
    const { mtimeMs } = await stat(path);
    const old = this.#loaded.get(file);
    if (old?.version === mtimeMs) return;
    try {
      // A module is loaded once for each URL, so a new version needs a new one.
      const module: unknown = await import(`${pathToFileURL(path).href}?version=${mtimeMs}`);
      this.#loaded.set(file, { version: mtimeMs, delegates: delegatesOf(file, module) });
    } catch (error) {
      this.#loaded.set(file, { version: mtimeMs, delegates: old?.delegates ?? new Map() });
      this.#observe({ kind: 'server.failed', part: `loading of service/${file}`, error });
    }
  }
}

function delegatesOf(file: string, module: unknown): Map<string, DelegateFunction> {
  const { delegates } = module as { delegates?: Record<string, unknown> };
  const found = new Map<string, DelegateFunction>();
  for (const [name, run] of Object.entries(delegates ?? {})) {
    if (typeof run !== 'function')
      throw new TypeError(`service/${file}: the delegate '${name}' is no function`);
    found.set(name.toLowerCase(), run as DelegateFunction);
  }
  return found;
}
