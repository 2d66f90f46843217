import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { filter as filterOf } from '#client/index.ts';
import { BarChoice } from '../../parts/bar-choice.tsx';
import { Button } from '../../parts/button.tsx';
import { isOfFilter } from '../../parts/filter-field.tsx';
import { and } from '../../parts/filters.ts';
import { Card, Loaded } from '../../parts/page.tsx';
import { Select } from '../../parts/select.tsx';
import { absolute } from '../../parts/time.tsx';
import { client } from '../../session/client.ts';
import { useLanguage, useWords } from '../../words/words.ts';
import styles from './audit.module.css';
import { SPANS, type Span, type Stretch, stepAt, stretchOf } from './span.ts';
import { words } from './words.ts';

const MOST_VALUES = 6;

interface Counted {
  readonly buckets: readonly {
    readonly at: string;
    readonly count: number;
    readonly user?: string | null;
    readonly operation?: string | null;
  }[];
  readonly truncated?: boolean;
}

/** When there was how much of what fits, and of whom; one looks closer at a step, a person or a kind of change. */
export function CountedEntries({
  fits,
  span,
  step,
  onSpan,
  onStep,
  filter,
  onFilter,
}: {
  /** What the list asks for, but for the step. */
  readonly fits: string;
  readonly span: Span;
  readonly step: string | undefined;
  readonly onSpan: (span: string) => void;
  readonly onStep: (step: string | undefined) => void;
  readonly filter: string;
  readonly onFilter: (filter: string) => void;
}) {
  const t = useWords(words);
  const language = useLanguage();
  // The page that somebody looks at stays at the stretch that it began with.
  const [began] = useState(() => new Date());
  const whole = stretchOf(span, began);
  const { bucket, bucketMs, steps } = SPANS[span];
  const over = useCounts(fits, whole, bucket, []);
  const within = useCounts(fits, step === undefined ? whole : stepAt(span, step), 'day', [
    'user',
    'operation',
  ]);
  const number = new Intl.NumberFormat(language);
  if (over.error !== null && isOfFilter(over.error)) return null;
  return (
    <Card title={t.counted}>
      <div className="stack">
        <div className="narrow">
          <Select
            label={t.span}
            value={span}
            choices={[
              { id: 'day', title: t.day },
              { id: 'week', title: t.week },
              { id: 'month', title: t.month },
            ]}
            onChange={onSpan}
          />
        </div>
        <Loaded of={over}>
          {({ buckets }) => {
            const counts = new Map(buckets.map(({ at, count }) => [at, count]));
            const bars = Array.from({ length: steps }, (_, nth) => {
              const id = new Date(Date.parse(whole.from) + nth * bucketMs).toISOString();
              const count = counts.get(id) ?? 0;
              return { id, title: `${absolute(new Date(id), language)}: ${number.format(count)}`, count };
            });
            return <BarChoice label={t.counted} bars={bars} chosen={step} onChoose={onStep} />;
          }}
        </Loaded>
        {within.data === undefined
          ? null
          : (['user', 'operation'] as const).map((by) => (
              <div key={by} className={styles['values']} role="group" aria-label={t[by]}>
                <span className="soft">{t[by]}</span>
                {valuesOf(within.data, by).map(([value, count]) => (
                  <Button
                    key={value}
                    onPress={() =>
                      onFilter(
                        and(filter, (by === 'user' ? filterOf`userId eq ${value}` : operation(value)).text),
                      )
                    }
                  >
                    {value} {number.format(count)}
                  </Button>
                ))}
              </div>
            ))}
        {within.data?.truncated === true ? <p className="hint">{t.countCut}</p> : null}
      </div>
    </Card>
  );
}

function operation(value: string) {
  return filterOf`operation eq ${value}`;
}

/** Counted when somebody comes, and not again with each entry: it reads all of a stretch. */
function useCounts(queryFilter: string, { from, to }: Stretch, bucket: string, by: readonly string[]) {
  return useQuery({
    queryKey: ['counted', 'audit', queryFilter, from, to, bucket, by],
    queryFn: ({ signal }) =>
      client.send<Counted>({
        method: 'POST',
        path: ['audit'],
        parameters: { _action: 'aggregate' },
        body: { from, to, bucket, by, queryFilter },
        signal,
      }),
    placeholderData: keepPreviousData,
    retry: false,
  });
}

function valuesOf({ buckets }: Counted, by: 'user' | 'operation'): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const { count, ...of } of buckets) {
    const value = of[by] ?? '';
    if (value !== '') counts.set(value, (counts.get(value) ?? 0) + count);
  }
  return [...counts].sort(([, one], [, other]) => other - one).slice(0, MOST_VALUES);
}
