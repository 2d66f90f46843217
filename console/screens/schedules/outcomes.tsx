import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { client } from '../../session/client.ts';
import { useWords } from '../../words/words.ts';
import { lookOf, type Outcome, useOutcomeName } from './schedule.tsx';
import styles from './schedules.module.css';
import { words } from './words.ts';

interface Latest {
  readonly result: readonly { readonly schedule: string; readonly firings: readonly Outcome[] }[];
}

/** As many as the server tells of at once. */
const MOST_SCHEDULES = 200;

/** The last twenty outcomes of each of these schedules, the latest first. */
export function useOutcomes(ids: readonly string[]): ReadonlyMap<string, readonly Outcome[]> {
  const { data } = useQuery({
    queryKey: ['firing', 'latest', ids],
    queryFn: async () => {
      const parts: string[][] = [];
      for (let at = 0; at < ids.length; at += MOST_SCHEDULES) parts.push(ids.slice(at, at + MOST_SCHEDULES));
      const asked = parts.map((part) =>
        client.resource('scheduler/firing').action<Latest>('latest', { body: { ids: part } }),
      );
      return (await Promise.all(asked)).flatMap(({ result }) => result);
    },
    enabled: ids.length > 0,
    placeholderData: keepPreviousData,
    retry: false,
  });
  return new Map((data ?? []).map(({ schedule, firings }) => [schedule, firings]));
}

/** What became of the last planned times of a schedule, as they went by. */
export function Outcomes({ of }: { readonly of: readonly Outcome[] | undefined }) {
  const t = useWords(words);
  const nameOf = useOutcomeName();
  if (of === undefined) return null;
  if (of.length === 0) return <span className="soft">{t.noFirings}</span>;
  const counts = new Map<string, number>();
  for (const each of of) counts.set(nameOf(each), (counts.get(nameOf(each)) ?? 0) + 1);
  const told = [...counts].map(([name, count]) => `${name} ${count}`).join(', ');
  return (
    <span className={styles['strip']} role="img" aria-label={t.lastOutcomes(of.length, told)} title={told}>
      {of.toReversed().map((each, at) => {
        const [tone, mark] = lookOf(each);
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: they have no other name, and none moves
          <span key={at} className={styles[tone]}>
            {mark}
          </span>
        );
      })}
    </span>
  );
}
