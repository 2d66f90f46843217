import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Loaded } from '../../parts/page.tsx';
import { client } from '../../session/client.ts';
import { useWords } from '../../words/words.ts';
import { hooksOf, type ManagedConfig } from './hooks.ts';
import { addressOf } from './list-page.tsx';
import type { RunAs } from './run-as.ts';
import { words } from './words.ts';

interface Usage {
  readonly kind: 'configuration' | 'schedule' | 'script' | 'access';
  readonly id: string;
  readonly field?: string;
  readonly line?: number;
}

interface Used {
  readonly usages: readonly Usage[];
  readonly truncated: boolean;
  /** What it is run as, by these usages. */
  readonly runAs: readonly RunAs[];
}

/** Who uses a script, and so what it is run as. */
export function useUsages(path: string, isThere: boolean) {
  return useQuery({
    queryKey: ['config', 'usages', path],
    queryFn: async (): Promise<Used> => {
      const [said, managed] = await Promise.all([
        client.send<Omit<Used, 'runAs'>>({
          method: 'POST',
          path: ['script', 'file', ...path.split('/')],
          parameters: { _action: 'usages' },
        }),
        client.send<ManagedConfig>({ method: 'GET', path: ['config', 'managed'] }),
      ]);
      return { ...said, runAs: said.usages.flatMap((usage) => runAsOf(usage, managed)) };
    },
    enabled: isThere,
    retry: false,
  });
}

function runAsOf({ kind, id, field = '' }: Usage, managed: ManagedConfig): readonly RunAs[] {
  if (kind === 'access') return [{ use: 'access' }];
  if (kind === 'schedule' || id.startsWith('schedule/')) {
    return [{ use: field.includes('/task/') ? 'scan' : 'schedule' }];
  }
  if (id.startsWith('endpoint/')) return [{ use: 'endpoint' }];
  const hook = hooksOf(managed).find((each) => id === 'managed' && field.startsWith(`${each.field}/`));
  return hook === undefined ? [] : [{ use: hook.use, type: hook.type }];
}

export function Usages({ of }: { readonly of: ReturnType<typeof useUsages> }) {
  const t = useWords(words);
  return (
    <Loaded of={of}>
      {({ usages, truncated }) =>
        usages.length === 0 ? (
          <p className="soft">{t.unused}</p>
        ) : (
          <ul className="lines">
            {usages.map((usage) => (
              <li key={`${usage.kind} ${usage.id} ${usage.field ?? usage.line ?? ''}`}>
                <span className="soft">{t[usage.kind]}</span>
                <Link to={placeOf(usage)}>{usage.id}</Link>
                <code>{usage.field ?? usage.line}</code>
              </li>
            ))}
            {truncated ? <li className="hint">{t.moreUsages}</li> : null}
          </ul>
        )
      }
    </Loaded>
  );
}

function placeOf({ kind, id }: Usage): string {
  if (kind === 'script' || kind === 'access') return addressOf(kind === 'access' ? 'access.js' : id);
  if (kind === 'schedule') return `/schedules/${encodeURIComponent(id)}`;
  return `/configuration/of/${id.split('/').map(encodeURIComponent).join('/')}`;
}
