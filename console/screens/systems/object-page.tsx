import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { JsonObject } from '#client/index.ts';
import { Facts } from '../../parts/facts.tsx';
import { Card, Loaded, Page } from '../../parts/page.tsx';
import { client } from '../../session/client.ts';
import { Accounts } from '../../sync/accounts.tsx';
import { useWords } from '../../words/words.ts';
import { cellText } from './objects.tsx';
import { addressOf, objectRoute } from './routes.ts';
import { words } from './words.ts';

/** One object as the other system has it now, and which mappings have brought it there or bring it from there. */
export function ObjectPage() {
  const t = useWords(words);
  const { name, type, id } = objectRoute.useParams();
  const object = useQuery({
    queryKey: ['system', name, type, 'one', id],
    queryFn: () => client.send<JsonObject>({ method: 'GET', path: ['system', name, type, id] }),
    retry: false,
  });
  return (
    <Page
      title={id}
      says={
        <span className="row">
          <Link to="/systems">{t.title}</Link>
          <Link to={addressOf(name)}>{name}</Link>
          <code>{type}</code>
        </span>
      }
    >
      <Card title={t.values}>
        <Loaded of={object}>
          {(found) => (
            <Facts
              of={Object.entries(found).map(([title, value]) => ({ title, value: cellText(value) || '–' }))}
            />
          )}
        </Loaded>
      </Card>
      <section className="stack" aria-label={t.accounts}>
        <h2>{t.accounts}</h2>
        <Accounts resource={`system/${name}/${type}/${id}`} topic={`system ${name}`} />
      </section>
    </Page>
  );
}
