import { useQuery } from '@tanstack/react-query';
import type { JsonObject, PatchOperation } from '#client/index.ts';
import { client } from '../../session/client.ts';

/** A type as `conf/managed.json` declares it. */
export interface DeclaredType {
  readonly name: string;
  readonly schema: {
    readonly title?: string;
    readonly order?: readonly string[];
    readonly required?: readonly string[];
    readonly properties?: Readonly<Record<string, Declared>>;
  };
}

export interface Declared extends JsonObject {
  readonly title?: string;
  readonly type?: string | string[];
}

export interface Managed {
  readonly revision: string;
  readonly content: JsonObject & { readonly objects: readonly DeclaredType[] };
}

/** The declarations of all types, with the revision that a change of them is held to. */
export function useManaged() {
  return useQuery({
    queryKey: ['config', 'managed', 'declared'],
    queryFn: async (): Promise<Managed> => {
      const { _id, _rev, ...content } = await client.send<Managed['content']>({
        method: 'GET',
        path: ['config', 'managed'],
      });
      return { revision: String(_rev), content: { ...content, objects: content.objects } };
    },
    retry: false,
  });
}

/** What a review needs to know of a change of `managed.json`, which is held to what was read. */
export function changeOf({ revision, content }: Managed, body: readonly PatchOperation[]) {
  const headers = { 'If-Match': `"${revision}"` };
  return { call: { method: 'PATCH', path: ['config', 'managed'], headers, body }, base: content } as const;
}

/** Whether types and properties may be called that. */
export function isName(text: string): boolean {
  return /^[A-Za-z_]\w*$/.test(text);
}

/** How many objects there are of each type. */
export function useCounts() {
  return useQuery({
    queryKey: ['config', 'counts'],
    queryFn: async () => {
      const { counts } = await client.send<{ counts: Readonly<Record<string, { readonly total: number }>> }>({
        method: 'GET',
        path: ['schema'],
        parameters: { _fields: 'counts' },
      });
      return counts;
    },
    retry: false,
  });
}

/** Its properties, in their order and then the others. */
export function propertiesOf({ schema }: DeclaredType): readonly (readonly [string, Declared])[] {
  const { order = [], properties = {} } = schema;
  const names = [...new Set([...order, ...Object.keys(properties)])];
  return names.flatMap((name) => {
    const property = properties[name];
    return property === undefined ? [] : [[name, property] as const];
  });
}

/** Such as 'string, may be empty' or 'list of references'. */
export function kindOf({ type, items }: Declared): string {
  const one = Array.isArray(type) ? type.filter((each) => each !== 'null').join(' | ') : (type ?? '');
  const of =
    typeof items === 'object' && items !== null && !Array.isArray(items) && 'type' in items
      ? String(items['type'])
      : undefined;
  return of === undefined ? one : `${one} (${of})`;
}
