import { type ConfigStore, type EndpointConfig, endpointConfig, type PlannedEffect } from '#config/index.ts';
import { errorIdOf, toResourceError } from '#errors/index.ts';
import type { Observe } from '#observability/index.ts';
import type { Router } from '#resource/index.ts';
import { FIELD_SCRIPT } from '#script/index.ts';
import { endpointOf } from './endpoint.ts';
import { type EndpointPlatform, EndpointResource } from './endpoint-resource.ts';

export interface EndpointsOptions extends EndpointPlatform {
  readonly router: Pick<Router, 'mount'>;
  readonly config: ConfigStore;
  readonly observe: Observe;
}

interface Mounted {
  readonly resource: EndpointResource;
  readonly unmount: () => void;
}

/**
 * Keeps a route for each endpoint of the configuration now in force. Where scripts run, `activate` compiles them
 * ahead of the first request; elsewhere the routes only say that their requests run scripts.
 */
export class Endpoints {
  readonly #options: EndpointsOptions;
  readonly #mounted = new Map<string, Mounted>();
  #activates = false;

  constructor(options: EndpointsOptions) {
    this.#options = options;
    for (const { alias, value } of options.config.list(endpointConfig)) this.#mount(alias, value);
    options.config.addPlanner(endpointConfig, { effectsOf: planEndpoint });
    options.config.watchOnly(endpointConfig, async ({ id, current }) => {
      const name = id.slice('endpoint/'.length);
      this.#mounted.get(name)?.unmount();
      this.#mounted.delete(name);
      if (current === undefined) return;
      this.#mount(name, current);
      if (this.#activates) await this.#activate(name);
    });
  }

  async activate(): Promise<void> {
    this.#activates = true;
    await Promise.all([...this.#mounted.keys()].map((name) => this.#activate(name)));
  }

  #mount(name: string, config: EndpointConfig): void {
    const endpoint = endpointOf(name, config);
    const resource = new EndpointResource(endpoint, this.#options);
    const unmount = this.#options.router.mount(endpoint.context, resource);
    this.#mounted.set(name, { resource, unmount });
  }

  async #activate(name: string): Promise<void> {
    try {
      await this.#mounted.get(name)?.resource.activate();
    } catch (error) {
      const { code, message } = toResourceError(error);
      const answer = errorIdOf(error) === FIELD_SCRIPT ? code : 404;
      this.#options.observe({
        kind: 'config.warned',
        message: `endpoint ${name} is inactive, requests get ${answer}: ${message}`,
      });
    }
  }
}

/** Where an endpoint answers, if that becomes another place. */
function planEndpoint({
  id,
  previous,
  current,
}: {
  readonly id: string;
  readonly previous: EndpointConfig | undefined;
  readonly current: EndpointConfig | undefined;
}): readonly PlannedEffect[] {
  const name = id.slice('endpoint/'.length);
  const [from, to] = [previous, current].map((config) =>
    config === undefined ? null : endpointOf(name, config).context,
  );
  if (from === to) return [];
  const text =
    to === null
      ? `Nothing answers at ${from} any more`
      : `It answers at ${to}${from === null ? '' : `, and not at ${from}`}`;
  return [{ kind: 'endpoint.moved', endpoint: name, from: from ?? null, to: to ?? null, text }];
}
