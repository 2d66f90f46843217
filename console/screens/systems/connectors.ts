import { useQuery } from '@tanstack/react-query';
import type { JsonObject } from '#client/index.ts';
import { client } from '../../session/client.ts';
import type { ConnectorProperty } from './connector-form.tsx';

export interface Connectors {
  readonly connectorRef: readonly (JsonObject & {
    readonly connectorName: string;
    readonly displayName: string;
  })[];
  /** By the name of the connector. */
  readonly configurationProperties: Readonly<Record<string, readonly ConnectorProperty[]>>;
}

/** The connectors that the server has, and what each is configured by. */
export function useConnectors() {
  return useQuery({
    queryKey: ['connectors'],
    queryFn: () =>
      client.send<Connectors>({
        method: 'POST',
        path: ['system'],
        parameters: { _action: 'availableConnectors' },
        body: {},
      }),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
}

const PREFIX = 'property ';

/** Under which name a property of a connector is kept among what is typed on a page. */
export function typedName(property: string): string {
  return `${PREFIX}${property}`;
}

/** What was typed of the properties of a connector. */
export function typedProperties(typed: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(typed).flatMap(([name, value]) =>
      name.startsWith(PREFIX) ? [[name.slice(PREFIX.length), value]] : [],
    ),
  );
}

/** As a form sees them, so that what is secret is kept nowhere. */
export function formOf(properties: readonly ConnectorProperty[]) {
  return {
    properties: Object.fromEntries(
      properties.map(({ name, type }) => [typedName(name), type === 'secret' ? { private: true } : {}]),
    ),
  };
}

/** The file of a system as its connector would have it. */
export function coreOf(connectorRef: JsonObject): Promise<JsonObject> {
  return client.send({
    method: 'POST',
    path: ['system'],
    parameters: { _action: 'createCoreConfig' },
    body: { connectorRef },
  });
}
