import { useQuery } from '@tanstack/react-query';
import { client } from '../session/client.ts';
import type { Managed } from './managed.ts';

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
