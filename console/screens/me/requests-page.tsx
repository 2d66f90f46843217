import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { JsonObject } from '#client/index.ts';
import { usePages } from '../../live/pages.ts';
import { Badge, type Tone } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { Loaded, Loading } from '../../parts/page.tsx';
import { Ago } from '../../parts/time.tsx';
import { client } from '../../session/client.ts';
import { common } from '../../words/common.ts';
import { plainText } from '../../words/plain-text.ts';
import { useWords } from '../../words/words.ts';
import styles from './me.module.css';
import { MePage } from './me-page.tsx';
import { words } from './words.ts';

const FOR_ROLES = 'accessRequest';
const PAGE_SIZE = '20';

interface Process {
  readonly key: string;
  readonly name: string;
  readonly suspended: boolean;
}

interface Sent {
  readonly _id: string;
  readonly processName: string;
  readonly startTime: string;
  readonly state: keyof typeof LOOKS;
  readonly asked: readonly { readonly id: string; readonly title: string; readonly value: unknown }[];
  readonly waitsFor: readonly { readonly name: string }[];
}

const LOOKS: Readonly<Record<'running' | 'failed' | 'ended' | 'cancelled', readonly [Tone, string]>> = {
  running: ['info', '◍'],
  failed: ['bad', '✗'],
  ended: ['good', '✓'],
  cancelled: ['quiet', '⊘'],
};

export function RequestsPage() {
  const t = useWords(words);
  const processes = useQuery({
    queryKey: ['processes'],
    queryFn: () =>
      client.send<{ processes: readonly Process[] }>({
        method: 'GET',
        path: ['endpoint', 'getprocessesforuser'],
      }),
    staleTime: 60_000,
  });
  return (
    <MePage title={t.requests}>
      <SentRequests />
      <Loaded of={processes}>
        {(found) => {
          const open = found.processes.filter(({ suspended }) => !suspended);
          const others = open.filter(({ key }) => key !== FOR_ROLES);
          return (
            <>
              {open.some(({ key }) => key === FOR_ROLES) ? <Roles /> : null}
              {others.length === 0 ? null : (
                <section className="stack" aria-label={t.processes}>
                  <h2>{t.processes}</h2>
                  <ul className={styles['list']}>
                    {others.map(({ key, name }) => (
                      <li key={key}>
                        <Link to={`/me/start/${key}`} className={styles['item']}>
                          <strong className={styles['what']}>{name}</strong>
                        </Link>
                      </li>
                    ))}
                  </ul>
                </section>
              )}
            </>
          );
        }}
      </Loaded>
    </MePage>
  );
}

interface Role extends JsonObject {
  readonly _id: string;
  readonly name: string;
  readonly description?: string;
  readonly held: boolean;
}

function Roles() {
  const t = useWords(words);
  const c = useWords(common);
  const roles = usePages<Role>({
    key: ['requestables'],
    path: 'endpoint/requestables',
    parameters: { _queryFilter: 'true', _pageSize: PAGE_SIZE },
  });
  return (
    <section className="stack" aria-label={t.roles}>
      <h2>{t.roles}</h2>
      {roles.error === null ? null : <ErrorNote error={roles.error} retry={roles.refetch} />}
      {roles.rows === undefined ? <Loading /> : null}
      {roles.rows?.length === 0 ? <p className="soft">{t.noRoles}</p> : null}
      <ul className={styles['list']}>
        {roles.rows?.map(({ _id, name, description, held }) => (
          <li key={_id} className={styles['item']}>
            <span className={styles['what']}>
              <strong>{name}</strong>
              <br />
              <span className="soft">{description}</span>
            </span>
            {held ? (
              <Badge tone="good" mark="✓">
                {t.have}
              </Badge>
            ) : (
              <Link to={`/me/start/${FOR_ROLES}`} search={{ role: name }} className="button">
                {t.askFor(name)}
              </Link>
            )}
          </li>
        ))}
      </ul>
      {roles.hasMore ? (
        <div>
          <Button onPress={roles.more}>{c.more}</Button>
        </div>
      ) : null}
    </section>
  );
}

function SentRequests() {
  const t = useWords(words);
  const c = useWords(common);
  const sent = usePages<Sent>({
    key: ['instance', 'mine'],
    path: 'endpoint/myrequests',
    parameters: { _queryFilter: 'true', _pageSize: PAGE_SIZE },
  });
  return (
    <section className="stack" aria-label={t.sent}>
      <h2>{t.sent}</h2>
      {sent.error === null ? null : <ErrorNote error={sent.error} retry={sent.refetch} />}
      {sent.rows === undefined && sent.error === null ? <Loading /> : null}
      {sent.rows?.length === 0 ? <p className="soft">{t.noRequests}</p> : null}
      <ul className={styles['list']}>
        {sent.rows?.map(({ _id, processName, startTime, state, asked, waitsFor }) => {
          const [tone, mark] = LOOKS[state];
          return (
            <li key={_id} className={styles['item']}>
              <span className={styles['what']}>
                <strong>{processName}</strong>{' '}
                <span className="soft">
                  <Ago at={startTime} />
                </span>
                <br />
                <span className="soft">
                  {asked
                    .filter(({ value }) => value !== null && value !== undefined)
                    .map(({ title, value }) => `${title}: ${plainText(value)}`)
                    .join(' · ')}
                </span>
                {waitsFor.map(({ name }) => (
                  <span key={name} className="soft">
                    <br />
                    {t.waitsFor(name)}
                  </span>
                ))}
              </span>
              <Badge tone={tone} mark={mark}>
                {t[state]}
              </Badge>
            </li>
          );
        })}
      </ul>
      {sent.hasMore ? (
        <div>
          <Button onPress={sent.more}>{c.more}</Button>
        </div>
      ) : null}
    </section>
  );
}
