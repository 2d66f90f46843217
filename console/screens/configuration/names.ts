import { useQuery } from '@tanstack/react-query';
import type { Known } from '../../code/complete.ts';
import { client } from '../../session/client.ts';

/** The names that a configuration of this kind may have, wherever in it they belong. */
export function useNames(id: string) {
  const [kind = ''] = id.split('/');
  return useQuery({
    queryKey: ['config', 'schema', kind],
    queryFn: async () => {
      const { schema } = await client.send<{ schema: unknown }>({
        method: 'GET',
        path: ['schema', 'config', kind],
      });
      return [...namesIn(schema, new Map()).values()];
    },
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
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
