import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { JsonObject } from '#client/index.ts';
import { Loaded } from '../../parts/page.tsx';
import { client } from '../../session/client.ts';
import { useWords } from '../../words/words.ts';
import { Changes } from '../../write/changes.tsx';
import styles from './audit.module.css';
import type { Entry } from './entry.tsx';
import { words } from './words.ts';

/** What a change has made of each property; it is asked for when somebody looks. */
export function Difference({ of: { _id, topic } }: { readonly of: Entry }) {
  const t = useWords(words);
  const [isOpen, setOpen] = useState(false);
  const entry = useQuery({
    queryKey: ['audit', 'entry', topic, _id],
    queryFn: () => client.resource<JsonObject>(`audit/${topic}`).read(_id),
    enabled: isOpen,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <details className={styles['difference']} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{t.difference}</summary>
      {isOpen ? (
        <Loaded of={entry}>
          {({ before = null, after = null }) =>
            before === null && after === null ? (
              <p className="soft">{t.noDifference}</p>
            ) : (
              <Changes before={before} after={after} />
            )
          }
        </Loaded>
      ) : null}
    </details>
  );
}
