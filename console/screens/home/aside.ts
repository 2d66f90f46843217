import { useQuery } from '@tanstack/react-query';
import type { Call, JsonObject, Stored } from '#client/index.ts';
import { isMembers } from '../../form/members.ts';
import { client, orNone } from '../../session/client.ts';
import type { Finding } from './status.ts';

const NAME = 'console.aside';

/** Why somebody does not want to see a finding for a while, and until when. */
export interface Aside {
  readonly until: string;
  readonly reason: string;
}

/** By what each finding is known. */
export function keyOf({ id, subject }: Finding): string {
  return `${id} ${subject}`;
}

interface Kept {
  readonly revision: string | undefined;
  readonly all: ReadonlyMap<string, Aside>;
}

/** What whoever looks has put aside; others see it as before. */
export function useAside() {
  return useQuery({
    queryKey: ['preference', NAME],
    queryFn: async (): Promise<Kept> => {
      const found = await orNone(
        client.send<Stored<{ readonly value: JsonObject }>>({ method: 'GET', path: ['preference', NAME] }),
      );
      const entries = Object.entries(found?.value ?? {}).flatMap(([key, value]): [string, Aside][] =>
        isMembers(value) ? [[key, { until: String(value['until']), reason: String(value['reason']) }]] : [],
      );
      return { revision: found?._rev, all: new Map(entries) };
    },
    retry: false,
  });
}

/** What of it still counts. */
export function inForce(kept: Kept | undefined, now: number): ReadonlyMap<string, Aside> {
  return new Map([...(kept?.all ?? [])].filter(([, { until }]) => Date.parse(until) > now));
}

/** The request that keeps these, and nothing else. */
export function keep({ revision }: Kept, all: ReadonlyMap<string, Aside>): Call {
  return {
    method: 'PUT',
    path: ['preference', NAME],
    headers: revision === undefined ? { 'If-None-Match': '*' } : { 'If-Match': `"${revision}"` },
    body: { value: Object.fromEntries([...all].map(([key, { until, reason }]) => [key, { until, reason }])) },
  };
}
