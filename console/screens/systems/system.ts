import { useQuery } from '@tanstack/react-query';
import type { JsonObject, Page } from '#client/index.ts';
import { client } from '../../session/client.ts';

/** A system as `/system` lists it. */
export interface System {
  readonly _id: string;
  readonly enabled: boolean;
  /** Where its file is, such as `config/provisioner.openicf/hr`. */
  readonly config: string;
  readonly connectorRef: { readonly connectorName: string };
  readonly displayName: string;
  readonly objectTypes: readonly string[];
  readonly availability: Availability;
}

/** Whether it answers, as the node knows that was asked. */
export interface Availability {
  readonly state: 'disabled' | 'unknown' | 'up' | 'failing' | 'away';
  readonly why?: string;
  readonly since?: string;
  readonly retryAt?: string;
}

/** What a test says. */
export interface Tested {
  readonly name: string;
  readonly ok: boolean;
  readonly error?: string;
  readonly hint?: string;
}

/** The file of a system. */
export interface SystemFile extends JsonObject {
  readonly configurationProperties?: JsonObject;
}

export interface SystemConfig {
  readonly revision: string;
  readonly content: SystemFile;
}

/** A property of a kind of objects, as the file declares it. */
export interface DeclaredProperty {
  readonly name: string;
  readonly type: string;
  readonly nativeName: string;
  readonly isRequired: boolean;
  readonly flags: readonly string[];
}

const LOOK_MS = 5_000;

/** All systems. Whether they answer is no event, so it is looked at again and again. */
export function useSystems() {
  return useQuery({
    queryKey: ['config', 'system', 'list'],
    queryFn: () =>
      client.send<Page<System>>({ method: 'GET', path: ['system'], parameters: { _queryFilter: 'true' } }),
    refetchInterval: LOOK_MS,
    retry: false,
  });
}

/** The file of a system, without what the server says beside it. */
export function useSystemConfig({ config }: System) {
  return useQuery({
    queryKey: ['config', 'one', config, 'system'],
    queryFn: async (): Promise<SystemConfig> => {
      const { _id, _rev, ...content } = await client.send<SystemFile>({
        method: 'GET',
        path: config.split('/'),
      });
      return { revision: String(_rev), content };
    },
    retry: false,
  });
}

export function testSystem(name: string): Promise<Tested> {
  return client.send({ method: 'POST', path: ['system', name], parameters: { _action: 'test' } });
}

type Members = Readonly<Record<string, unknown>>;

/** By the names of its kinds of objects. */
export function typesIn(objectTypes: unknown): Readonly<Record<string, readonly DeclaredProperty[]>> {
  return Object.fromEntries(
    Object.entries(membersOf(objectTypes)).map(([name, type]) => [
      name,
      Object.entries(membersOf(membersOf(type)['properties'])).map(declared),
    ]),
  );
}

function declared([name, value]: readonly [string, unknown]): DeclaredProperty {
  const { type, items, nativeName, required, flags }: Members = membersOf(value);
  const one = String(type ?? 'string');
  const of = membersOf(items)['type'];
  return {
    name,
    type: of === undefined ? one : `${one} (${String(of)})`,
    nativeName: typeof nativeName === 'string' ? nativeName : name,
    isRequired: required === true,
    flags: Array.isArray(flags) ? flags.map(String) : [],
  };
}

function membersOf(value: unknown): Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

/** Such as 'LdapConnector'. */
export function shortName({ connectorName }: System['connectorRef']): string {
  return connectorName.split('.').at(-1) ?? connectorName;
}
