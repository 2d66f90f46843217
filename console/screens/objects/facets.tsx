import { useQuery } from '@tanstack/react-query';
import type { JsonObject, Page } from '#client/index.ts';
import { titleOf } from '../../form/schema.ts';
import { Button } from '../../parts/button.tsx';
import { and, literal } from '../../parts/filters.ts';
import { Select } from '../../parts/select.tsx';
import { client } from '../../session/client.ts';
import { plainText } from '../../words/plain-text.ts';
import { useLanguage, useWords } from '../../words/words.ts';
import type { ManagedType } from './types.ts';
import { words } from './words.ts';

/** So many values are counted: each is a question. */
const MOST_VALUES = 8;

/**
 * How many of those that fit there are of each value of a property. A property says itself which values it has, or the rows do
 * that have been read.
 */
export function Facets({
  managed: { type, order, properties },
  filter,
  rows,
  by,
  onBy,
  onFilter,
}: {
  readonly managed: ManagedType;
  readonly filter: string;
  readonly rows: readonly JsonObject[];
  readonly by: string;
  readonly onBy: (name: string) => void;
  readonly onFilter: (filter: string) => void;
}) {
  const t = useWords(words);
  const language = useLanguage();
  const countable = order.filter((name) => {
    const { relationship, isVirtual, private: isPrivate, stored, type: kind } = properties[name] ?? {};
    const isPlain = kind !== 'object' && kind !== 'array' && relationship === undefined;
    return isPlain && isVirtual !== true && isPrivate !== true && stored === undefined && name !== '_id';
  });
  const values = valuesOf(by, properties[by]?.enum, properties[by]?.type, rows);
  const counts = useQuery({
    queryKey: [`object:${type}`, 'facet', by, filter, values],
    queryFn: ({ signal }) =>
      Promise.all(
        values.map(async (value) => {
          const own = `${by} eq ${literal(value)}`;
          const { totalPagedResults } = await client.send<Page<JsonObject>>({
            method: 'GET',
            path: ['managed', type],
            parameters: {
              _queryFilter: and(filter, own),
              _pageSize: '1',
              _fields: '_id',
              _totalPagedResultsPolicy: 'EXACT',
            },
            signal,
          });
          return { value, own, count: totalPagedResults };
        }),
      ),
    enabled: by !== '',
    retry: false,
  });
  return (
    <div className="row" role="group" aria-label={t.facets}>
      <Select
        label={t.facets}
        value={by}
        choices={[
          { id: '', title: t.noFacets },
          ...countable.map((name) => ({ id: name, title: titleOf(name, properties[name] ?? {}) })),
        ]}
        onChange={onBy}
      />
      {(by === '' ? [] : (counts.data ?? []))
        .filter(({ count }) => count > 0)
        .map(({ value, own, count }) => (
          <Button key={literal(value)} onPress={() => onFilter(and(filter, own))}>
            {plainText(value)} {new Intl.NumberFormat(language).format(count)}
          </Button>
        ))}
    </div>
  );
}

function valuesOf(
  name: string,
  declared: readonly unknown[] | undefined,
  type: unknown,
  rows: readonly JsonObject[],
): readonly unknown[] {
  if (name === '') return [];
  if (declared !== undefined) return declared.slice(0, MOST_VALUES);
  if (type === 'boolean') return [true, false];
  const seen = new Map<unknown, number>();
  for (const row of rows) {
    const value = row[name];
    if (['string', 'number', 'boolean'].includes(typeof value)) seen.set(value, (seen.get(value) ?? 0) + 1);
  }
  return [...seen]
    .sort(([, one], [, other]) => other - one)
    .slice(0, MOST_VALUES)
    .map(([value]) => value);
}
