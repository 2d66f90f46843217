import { queryOptions, useQuery } from '@tanstack/react-query';
import type { Schema } from '../../form/schema.ts';
import { client } from '../../session/client.ts';

export interface TypeName {
  readonly type: string;
  readonly title: string;
  readonly may: readonly string[];
}

export interface ManagedType extends TypeName, Schema {
  readonly actions: readonly string[];
}

/** The types of which the caller may ask for objects. They change with the configuration. */
export function useTypes() {
  return useQuery({
    queryKey: ['config', 'types'],
    queryFn: async () => {
      const { types } = await client.send<{ types: readonly TypeName[] }>({
        method: 'GET',
        path: ['schema'],
      });
      return types.filter(({ may }) => may.includes('query'));
    },
    staleTime: 60_000,
  });
}

export function typeQuery(type: string) {
  return queryOptions({
    queryKey: ['config', 'type', type],
    queryFn: () => client.send<ManagedType>({ method: 'GET', path: ['schema', 'managed', type] }),
    staleTime: 60_000,
  });
}

export function useType(type: string) {
  return useQuery(typeQuery(type));
}
