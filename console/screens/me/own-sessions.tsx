import { usePages } from '../../live/pages.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { Card, Loading } from '../../parts/page.tsx';
import { Ago } from '../../parts/time.tsx';
import { common } from '../../words/common.ts';
import { useWords } from '../../words/words.ts';
import { useReview } from '../../write/review.tsx';
import { words } from './words.ts';

const PAGE_SIZE = '20';

interface Session {
  readonly _id: string;
  readonly clientAddress: string | null;
  readonly createdAt: string;
  readonly lastUsedAt: string;
  readonly isThis: boolean;
}

/** Where somebody is logged in; whoever has left a session open elsewhere ends it here. */
export function OwnSessions() {
  const t = useWords(words);
  const c = useWords(common);
  const review = useReview();
  const { rows, error, refetch, hasMore, more, isMoreComing } = usePages<Session>({
    key: ['session', 'own'],
    path: 'session',
    parameters: { _queryFilter: 'true', _sortKeys: '-lastUsedAt', _pageSize: PAGE_SIZE },
  });
  const endOthers = () =>
    void review({
      title: t.endOthers,
      done: t.endOthersDone,
      call: {
        method: 'POST',
        path: ['session'],
        parameters: { _action: 'endAll' },
        body: { exceptThis: true },
      },
      touches: ['session'],
    });
  return (
    <Card
      title={t.sessions}
      actions={(rows?.length ?? 0) > 1 ? <Button onPress={endOthers}>{`${t.endOthers} …`}</Button> : null}
    >
      {error === null ? null : <ErrorNote error={error} retry={refetch} />}
      {rows === undefined && error === null ? <Loading /> : null}
      <ul className="lines">
        {rows?.map(({ _id, clientAddress, createdAt, lastUsedAt, isThis }) => (
          <li key={_id}>
            <span className="grow">
              {clientAddress ?? t.somewhere}{' '}
              {isThis ? (
                <Badge tone="info" mark="●">
                  {t.isThis}
                </Badge>
              ) : null}
            </span>
            <span className="soft">
              {t.loggedIn} <Ago at={createdAt} />
            </span>
            <span className="soft">
              {t.lastUsed} <Ago at={lastUsedAt} />
            </span>
          </li>
        ))}
      </ul>
      {hasMore ? (
        <Button onPress={more} isPending={isMoreComing}>
          {c.more}
        </Button>
      ) : null}
    </Card>
  );
}
