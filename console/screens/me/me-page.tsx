import { Link, useRouterState } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Page } from '../../parts/page.tsx';
import { useIdentity } from '../../session/identity.ts';
import { useWords } from '../../words/words.ts';
import styles from './me.module.css';
import { words } from './words.ts';

/** What all own pages have around them. */
export function MePage({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  const t = useWords(words);
  const { component } = useIdentity();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const places = [
    { to: '/me', title: t.tasks },
    { to: '/me/requests', title: t.requests },
    ...(component.startsWith('managed/') ? [{ to: '/me/account', title: t.account }] : []),
  ];
  return (
    <Page title={title}>
      <nav className={`tab-list ${styles['nav']}`} aria-label={t.title}>
        {places.map((place) => (
          <Link
            key={place.to}
            to={place.to}
            className="tab"
            activeOptions={{ exact: true }}
            aria-current={path.endsWith(place.to) ? 'page' : undefined}
          >
            {place.title}
          </Link>
        ))}
      </nav>
      <div className={styles['narrow']}>{children}</div>
    </Page>
  );
}
