import { queryOptions, useQuery } from '@tanstack/react-query';
import type { Known } from '../../code/complete.ts';
import { client } from '../../session/client.ts';

/** The JSON Schema of what a configuration of this kind may say. */
export function useSchema(id: string) {
  return useQuery(schemaOf(id));
}

/** The names that a configuration of this kind may have, wherever in it they belong. */
export function useNames(id: string) {
  return useQuery({ ...schemaOf(id), select: knownIn });
}

function schemaOf(id: string) {
  const [kind = ''] = id.split('/');
  return queryOptions({
    queryKey: ['config', 'schema', kind],
    queryFn: async () => {
      const { schema } = await client.send<{ schema: unknown }>({
        method: 'GET',
        path: ['schema', 'config', kind],
      });
      return schema;
    },
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
}

function knownIn(schema: unknown): readonly Known[] {
  return [...namesIn(schema, new Map()).values()];
}

function namesIn(schema: unknown, found: Map<string, Known>): Map<string, Known> {
  if (typeof schema !== 'object' || schema === null) return found;
  for (const [key, value] of Object.entries(schema)) {
    if (key === 'properties' && typeof value === 'object' && value !== null) {
      for (const [name, declared] of Object.entries(value)) {
        const { type, description }: Readonly<Record<string, unknown>> = { ...Object(declared) };
        const kinds = (Array.isArray(type) ? type : [type]).filter((each) => each !== undefined);
        found.set(name, {
          name,
          type: kinds.join(' | '),
          ...(typeof description === 'string' ? { says: description } : {}),
        });
      }
    }
    namesIn(value, found);
  }
  return found;
}
