import { usePages } from '../../live/pages.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { Empty } from '../../parts/page.tsx';
import { PageList } from '../../parts/page-list.tsx';
import type { Column } from '../../parts/table.tsx';
import { Ago } from '../../parts/time.tsx';
import { useWords } from '../../words/words.ts';
import { useReview } from '../../write/review.tsx';
import { words } from './words.ts';

const PAGE_SIZE = '50';

interface Session {
  readonly _id: string;
  readonly authenticationId: string;
  readonly user: string;
  readonly moduleId: string | null;
  readonly roles: readonly string[];
  readonly clientAddress: string | null;
  readonly createdAt: string;
  readonly lastUsedAt: string;
  readonly expiresAt: string;
  readonly isThis: boolean;
}

/** Who is logged in; each session can be ended, the server asks for the password once more. */
export function Sessions() {
  const t = useWords(words);
  const review = useReview();
  const list = usePages<Session>({
    key: ['session', 'list'],
    path: 'session',
    parameters: { _queryFilter: 'true', _sortKeys: '-lastUsedAt', _pageSize: PAGE_SIZE },
  });
  const end = ({ _id, authenticationId }: Session) =>
    void review({
      title: t.endTitle(authenticationId),
      done: t.endDone(authenticationId),
      call: { method: 'DELETE', path: ['session', _id] },
      touches: ['session'],
    });
  const endOthers = () =>
    void review({
      title: t.endOthersTitle,
      done: t.endOthersDone,
      call: {
        method: 'POST',
        path: ['session'],
        parameters: { _action: 'endAll' },
        body: { exceptThis: true },
      },
      touches: ['session'],
    });
  const columns: readonly Column<Session>[] = [
    {
      id: 'who',
      title: t.who,
      cell: ({ authenticationId, isThis }) => (
        <>
          {authenticationId}{' '}
          {isThis ? (
            <Badge tone="info" mark="●">
              {t.isThis}
            </Badge>
          ) : null}
        </>
      ),
      width: 'minmax(12rem, 1fr)',
    },
    { id: 'roles', title: t.roles, cell: ({ roles }) => roles.join(', '), width: 'minmax(12rem, 1.5fr)' },
    { id: 'address', title: t.address, cell: ({ clientAddress }) => clientAddress ?? '–', width: '10rem' },
    { id: 'since', title: t.since, cell: ({ createdAt }) => <Ago at={createdAt} />, width: '9rem' },
    { id: 'used', title: t.lastUsed, cell: ({ lastUsedAt }) => <Ago at={lastUsedAt} />, width: '9rem' },
    { id: 'until', title: t.until, cell: ({ expiresAt }) => <Ago at={expiresAt} />, width: '9rem' },
  ];
  return (
    <div className="stack">
      <div className="row">
        <p className="soft grow">{t.endHint}</p>
        <Button onPress={endOthers}>{t.endOthers}</Button>
      </div>
      <PageList
        of={list}
        empty={<Empty icon="security" title={t.noSessions} />}
        label={t.sessions}
        columns={columns}
        onOpen={end}
      />
    </div>
  );
}
