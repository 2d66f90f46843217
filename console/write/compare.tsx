import { useState } from 'react';
import type { JsonObject } from '#client/index.ts';
import { Select } from '../parts/select.tsx';
import { absolute } from '../parts/time.tsx';
import { useLanguage, useWords } from '../words/words.ts';
import { Changes } from './changes.tsx';
import { words } from './compare-words.ts';

/** What the trail keeps of a change. */
export interface Audited {
  readonly _id: string;
  readonly timestamp: string;
  readonly userId: string;
  readonly before?: JsonObject | null;
  readonly after?: JsonObject | null;
}

interface State {
  readonly id: string;
  readonly title: string;
  readonly value: JsonObject;
}

/** Two states of the same thing beside each other, out of all that its trail has; the latest entry is the first. */
export function Compare({ entries }: { readonly entries: readonly Audited[] }) {
  const t = useWords(words);
  const language = useLanguage();
  const oldest = entries.at(-1);
  const states: readonly State[] = [
    ...entries.map(({ _id, timestamp, userId, after }) => ({
      id: _id,
      title: t.since(absolute(new Date(timestamp), language), userId),
      value: after ?? {},
    })),
    ...(oldest === undefined ? [] : [{ id: 'before', title: t.before, value: oldest.before ?? {} }]),
  ];
  const [chosen, setChosen] = useState<{ readonly one?: string; readonly other?: string }>({});
  const find = (id: string | undefined, at: number) => states.find((state) => state.id === id) ?? states[at];
  const one = find(chosen.one, states.length - 1);
  const other = find(chosen.other, 0);
  const choices = states.map(({ id, title }) => ({ id, title }));
  return (
    <section className="stack" aria-label={t.compare}>
      <div className="halves">
        <Select
          label={t.one}
          value={one?.id ?? ''}
          choices={choices}
          onChange={(id) => setChosen({ ...chosen, one: id })}
        />
        <Select
          label={t.other}
          value={other?.id ?? ''}
          choices={choices}
          onChange={(id) => setChosen({ ...chosen, other: id })}
        />
      </div>
      <Changes before={one?.value} after={other?.value} />
    </section>
  );
}
