import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { JsonObject } from '#client/index.ts';
import { client } from '../session/client.ts';

/** What is wrong with a configuration, or doubtful, and where. */
export interface Finding {
  readonly id: string;
  readonly message: string;
  readonly hint?: string;
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  readonly field?: string;
}

/** What would follow from the content of a configuration. */
export interface Planned {
  readonly findings: readonly Finding[];
  readonly warnings: readonly Finding[];
  readonly changes: readonly { readonly path: string; readonly from?: unknown; readonly to?: unknown }[];
  readonly effects: readonly {
    readonly kind: string;
    readonly text: string;
    readonly sample?: readonly string[];
  }[];
}

/**
 * Asks what would follow.
 *
 * @param content undefined: there is nothing to ask
 * @param settledMs so long nobody has changed it
 */
export function usePlan(id: string, content: JsonObject | undefined, settledMs = 0) {
  return useQuery({
    queryKey: ['plan', id, content],
    queryFn: async ({ signal }) => {
      if (settledMs > 0) await new Promise((resolve) => setTimeout(resolve, settledMs));
      signal.throwIfAborted();
      return client.send<Planned>({
        method: 'POST',
        path: ['config', ...id.split('/')],
        parameters: { _action: 'plan' },
        body: { content },
        signal,
      });
    },
    enabled: content !== undefined,
    placeholderData: keepPreviousData,
    gcTime: 0,
    retry: false,
  });
}
