import { lazy, Suspense, useState } from 'react';
import { Loading } from '../parts/page.tsx';
import { useWords } from '../words/words.ts';
import type { Audited } from './compare.tsx';
import { words } from './compare-words.ts';

const Compare = lazy(() => import('./compare.tsx').then(({ Compare }) => ({ default: Compare })));

/** The way to compare any two states that a history has, where the trail keeps what things were like. */
export function Comparison({ entries }: { readonly entries: readonly Audited[] }) {
  const t = useWords(words);
  const [isOpen, setOpen] = useState(false);
  const kept = entries.filter(({ before, after }) => before !== undefined || after !== undefined);
  if (kept.length === 0) return null;
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{t.compare}</summary>
      {isOpen ? (
        <Suspense fallback={<Loading />}>
          <Compare entries={kept} />
        </Suspense>
      ) : null}
    </details>
  );
}
