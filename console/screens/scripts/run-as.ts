import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Remark } from '../../code/code.tsx';
import type { Known } from '../../code/complete.ts';
import { client } from '../../session/client.ts';

/** What a script is run as: a use of scripts, and for a hook the type that it is of. */
export interface RunAs {
  readonly use: string;
  readonly type?: string;
}

export interface Bindings {
  readonly use: string;
  readonly title: string;
  readonly globals: readonly (Known & { readonly from?: string })[];
}

const SETTLED_MS = 400;

/** All uses that scripts have. */
export function useUses() {
  return useQuery({
    queryKey: ['config', 'uses'],
    queryFn: async () => {
      const { uses } = await client.send<{ uses: readonly { use: string; title: string }[] }>({
        method: 'GET',
        path: ['script', 'binding'],
      });
      return uses;
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** What a script of that use finds. */
export function useBindings({ use, type }: RunAs) {
  return useQuery({
    queryKey: ['config', 'bindings', use, type],
    queryFn: () =>
      client.send<Bindings>({ method: 'GET', path: ['script', 'binding'], parameters: { use, type } }),
    placeholderData: keepPreviousData,
    retry: false,
  });
}

interface Diagnosis {
  readonly diagnostics: readonly Remark[];
}

/** What the server has against a text, once nobody types any more. */
export function useDiagnostics(type: string, source: string, { use }: RunAs) {
  return useQuery({
    queryKey: ['diagnostics', type, use, source],
    queryFn: async ({ signal }) => {
      await new Promise((resolve) => setTimeout(resolve, SETTLED_MS));
      signal.throwIfAborted();
      const { diagnostics } = await client.send<Diagnosis>({
        method: 'POST',
        path: ['script'],
        parameters: { _action: 'compile' },
        body: { type, source, use, diagnostics: true },
        signal,
      });
      return diagnostics;
    },
    placeholderData: keepPreviousData,
    gcTime: 0,
    retry: false,
  });
}
