import { useState } from 'react';
import { useWords } from '../words/words.ts';
import { type Audited, Compare } from './compare.tsx';
import { words } from './compare-words.ts';

/** The way to compare any two states that a history has, where the trail keeps what things were like. */
export function Comparison({ entries }: { readonly entries: readonly Audited[] }) {
  const t = useWords(words);
  const [isOpen, setOpen] = useState(false);
  const kept = entries.filter(({ before, after }) => before !== undefined || after !== undefined);
  if (kept.length === 0) return null;
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{t.compare}</summary>
      {isOpen ? <Compare entries={kept} /> : null}
    </details>
  );
}
