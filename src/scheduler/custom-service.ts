import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Observe } from '#observability/index.ts';
import { Connection, type RequestSink } from '#resource/index.ts';
import {
  type Scheduled,
  type ScheduledService,
  type ServiceSource,
  scheduledKeys,
} from './scheduled-service.ts';

/** The files are looked at again at most so often. */
const LOOK_INTERVAL_MS = 250;
const MODULE = /^[^._].*\.(?:ts|mts|js|mjs)$/;

/** What a file in `service/` exports by default. */
interface CustomService {
  readonly invokeService: string;
  execute(context: unknown, scheduled: unknown): unknown;
}

/**
 * Scheduled services of the project: `service/*.ts` or `*.js`, each with
 *
 *   export default { invokeService: 'greet', async execute(context, scheduled) { … } }
 *
 * `context.svc` has the resource functions, within the unit of work of the run; `scheduled` has the keys of the
 * field (`scheduler.invokeContext`, …), the members of `Scheduled`, and `log(level, message)`. The operator's own
 * code, so not in a sandbox; but it runs in script threads, where it can hold up nothing but scripts. A changed
 * file is in force at the next run that needs it; one that cannot be loaded is reported, and the old one stays.
 */
export class CustomServices implements ServiceSource {
  readonly #directory: string;
  readonly #sink: RequestSink;
  readonly #observe: Observe;
  /** By file. */
  readonly #loaded = new Map<string, { version: number; service: ScheduledService | undefined }>();
  #lookedAt = 0;
  #looking: Promise<void> | undefined;

  constructor(directory: string, sink: RequestSink, observe: Observe) {
    this.#directory = directory;
    this.#sink = sink;
    this.#observe = observe;
  }

  async find(shortName: string): Promise<ScheduledService | undefined> {
    if (performance.now() - this.#lookedAt > LOOK_INTERVAL_MS || this.#lookedAt === 0) {
      this.#looking ??= this.#look().finally(() => {
        this.#lookedAt = performance.now();
        this.#looking = undefined;
      });
      await this.#looking;
    }
    return this.#services().find((service) => service.invokeService === shortName);
  }

  names(): readonly string[] {
    return this.#services().map((service) => service.invokeService);
  }

  #services(): ScheduledService[] {
    return [...this.#loaded.values()].flatMap(({ service }) => service ?? []);
  }

  async #look(): Promise<void> {
    const names = await readdir(this.#directory).catch(() => []);
    const files = names.filter((name) => MODULE.test(name)).sort();
    for (const gone of [...this.#loaded.keys()].filter((file) => !files.includes(file)))
      this.#loaded.delete(gone);
    for (const file of files) await this.#load(file);
  }

  async #load(file: string): Promise<void> {
    const path = join(this.#directory, file);
    const { mtimeMs } = await stat(path);
    const old = this.#loaded.get(file);
    if (old?.version === mtimeMs) return;
    try {
      // A module is loaded once for each URL, so a new version needs a new one.
      const module: unknown = await import(`${pathToFileURL(path).href}?version=${mtimeMs}`);
      this.#loaded.set(file, { version: mtimeMs, service: this.#wrap(file, module) });
    } catch (error) {
      this.#loaded.set(file, { version: mtimeMs, service: old?.service });
      this.#observe({ kind: 'server.failed', part: `loading of service/${file}`, error });
    }
  }

  #wrap(file: string, module: unknown): ScheduledService | undefined {
    const exported = (module as { default?: Partial<CustomService> }).default;
    // A module of the folder may hold something else, such as what services share.
    if (exported === undefined) return undefined;
    const { invokeService, execute } = exported;
    if (typeof invokeService !== 'string' || typeof execute !== 'function') {
      throw new TypeError(
        `service/${file}: the default export needs 'invokeService' and 'execute(context, scheduled)'`,
      );
    }
    return {
      invokeService,
      runsScripts: true,
      execute: async (context, scheduled: Scheduled) => {
        const svc = new Connection(this.#sink, context);
        await exported.execute!({ ...context, svc }, { ...scheduled, ...scheduledKeys(scheduled) });
      },
    };
  }
}
