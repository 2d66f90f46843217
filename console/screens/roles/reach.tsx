import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Call, DryRun, Page } from '#client/index.ts';
import { ErrorNote } from '../../parts/error-note.tsx';
import { isOfFilter } from '../../parts/filter-field.tsx';
import { client } from '../../session/client.ts';
import { useLanguage, useWords } from '../../words/words.ts';
import { words } from './words.ts';

const SETTLED_MS = 500;

interface Grants {
  readonly granted: number;
  readonly revoked: number;
  readonly gain: readonly string[];
  readonly lose: readonly string[];
}

/** How many a condition reaches, and who would gain or lose the role by it: as a rehearsal of that very change says. */
export function Reach({
  condition,
  change,
}: {
  readonly condition: string;
  readonly change: Call | undefined;
}) {
  const t = useWords(words);
  const language = useLanguage();
  const count = useQuery({
    queryKey: ['object:user', 'reach', condition],
    queryFn: ({ signal }) =>
      client.send<Page<object>>({
        method: 'GET',
        path: ['managed', 'user'],
        parameters: {
          _queryFilter: condition,
          _pageSize: '1',
          _fields: '_id',
          _totalPagedResultsPolicy: 'EXACT',
        },
        signal,
      }),
    enabled: condition !== '',
    placeholderData: keepPreviousData,
    retry: false,
  });
  const rehearsal = useQuery({
    queryKey: ['object:user', 'gain', condition],
    queryFn: async ({ signal }): Promise<Grants> => {
      await new Promise((resolve) => setTimeout(resolve, SETTLED_MS));
      signal.throwIfAborted();
      return grantsOf(await client.send<DryRun<unknown>>({ ...rehearsed(change), signal }));
    },
    enabled: change !== undefined,
    gcTime: 0,
    retry: false,
  });
  const number = new Intl.NumberFormat(language);
  const total = count.data?.totalPagedResults;
  if (isOfFilter(count.error)) return <ErrorNote error={count.error} />;
  return (
    <div className="stack" aria-live="polite">
      {condition === '' || total === undefined ? null : <p>{t.fits(number.format(total), total)}</p>}
      {rehearsal.error === null || change === undefined ? null : <ErrorNote error={rehearsal.error} />}
      {change === undefined || rehearsal.data === undefined ? null : (
        <div className="halves">
          <Named title={t.gain(number.format(rehearsal.data.granted))} mark="+" who={rehearsal.data.gain} />
          <Named title={t.lose(number.format(rehearsal.data.revoked))} mark="−" who={rehearsal.data.lose} />
        </div>
      )}
    </div>
  );
}

function rehearsed(change: Call | undefined): Call {
  if (change === undefined) throw new Error('There is no change to rehearse');
  return { ...change, parameters: { ...change.parameters, _dryRun: 'true' } };
}

function grantsOf({ changes }: DryRun<unknown>): Grants {
  for (const change of changes) {
    const { after } = change;
    if (typeof after !== 'object' || after === null || !('conditionalGrants' in after)) continue;
    const counts: Readonly<Record<string, unknown>> = { ...Object(after.conditionalGrants) };
    return {
      granted: Number(counts['granted']),
      revoked: Number(counts['revoked']),
      gain: namesOf('gain' in change ? change.gain : []),
      lose: namesOf('lose' in change ? change.lose : []),
    };
  }
  return { granted: 0, revoked: 0, gain: [], lose: [] };
}

function namesOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function Named({
  title,
  mark,
  who,
}: {
  readonly title: string;
  readonly mark: string;
  readonly who: readonly string[];
}) {
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      <ul>
        {who.map((path) => (
          <li key={path}>
            <span aria-hidden="true">{mark} </span>
            <Link to={path.replace(/^managed\//, '/objects/')}>{path.split('/').at(-1)}</Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
