import { useNavigate } from '@tanstack/react-router';
import { Page } from '../../parts/page.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { useWords } from '../../words/words.ts';
import { ApiKeys } from './api-keys.tsx';
import { Keys } from './keys.tsx';
import { Lockouts } from './lockouts.tsx';
import { May } from './may.tsx';
import { route, type SecuritySearch } from './routes.ts';
import { Rules } from './rules.tsx';
import { Sessions } from './sessions.tsx';
import { words } from './words.ts';

export function SecurityPage() {
  const t = useWords(words);
  const navigate = useNavigate();
  const { tab = 'sessions' }: SecuritySearch = route.useSearch();
  return (
    <Page title={t.title}>
      <Tabs
        label={t.title}
        at={tab}
        onGo={(next) => void navigate({ to: '/security', search: { tab: next }, replace: true })}
        tabs={[
          { id: 'sessions', title: t.sessions, content: <Sessions /> },
          { id: 'apikeys', title: t.apiKeys, content: <ApiKeys /> },
          { id: 'lockouts', title: t.lockouts, content: <Lockouts /> },
          { id: 'may', title: t.may, content: <Rights /> },
          { id: 'keys', title: t.keys, content: <Keys /> },
        ]}
      />
    </Page>
  );
}

function Rights() {
  return (
    <div className="stack">
      <May />
      <Rules />
    </div>
  );
}
