import { ProjectModules } from '#config/index.ts';
import type { Observe } from '#observability/index.ts';
import { Connection, type RequestSink } from '#resource/index.ts';
import {
  type Scheduled,
  type ScheduledService,
  type ServiceSource,
  scheduledKeys,
} from './scheduled-service.ts';

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
  readonly #sink: RequestSink;
  readonly #modules: ProjectModules<ScheduledService | undefined>;

  constructor(directory: string, sink: RequestSink, observe: Observe) {
    this.#sink = sink;
    this.#modules = new ProjectModules({
      directory,
      read: (module, file) => this.#wrap(file, module),
      onError: (file, error) => observe({ kind: 'server.failed', part: `loading of service/${file}`, error }),
    });
  }

  async find(shortName: string): Promise<ScheduledService | undefined> {
    await this.#modules.refresh();
    return this.#services().find((service) => service.invokeService === shortName);
  }

  names(): readonly string[] {
    return this.#services().map((service) => service.invokeService);
  }

  #services(): ScheduledService[] {
    return this.#modules.contents.flatMap((service) => service ?? []);
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
