import { filter, type JsonObject } from '#client/index.ts';
import { usePages } from '../../live/pages.ts';
import { Button } from '../../parts/button.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { Loading } from '../../parts/page.tsx';
import { Moment } from '../../parts/time.tsx';
import { common } from '../../words/common.ts';
import { useWords } from '../../words/words.ts';
import { ChangeRows } from '../../write/changes.tsx';
import { Comparison } from '../../write/comparison.tsx';
import { differencesBetween } from '../../write/write.ts';
import { words } from './words.ts';

interface Entry {
  readonly _id: string;
  readonly timestamp: string;
  readonly userId: string;
  readonly before: JsonObject | null;
  readonly after: JsonObject | null;
}

const PAGE_SIZE = '20';

/** What it was before each change through the server, the latest first; the text of any of them can be taken up again. */
export function ConfigHistory({
  id,
  onTake,
}: {
  readonly id: string;
  readonly onTake: (content: JsonObject) => void;
}) {
  const t = useWords(words);
  const c = useWords(common);
  const entries = usePages<Entry>({
    key: ['audit', 'config', id],
    path: 'audit/config',
    parameters: {
      _queryFilter: filter`objectId eq ${id}`.text,
      _sortKeys: '-timestamp',
      _pageSize: PAGE_SIZE,
    },
  });
  if (entries.error !== null) return <ErrorNote error={entries.error} retry={entries.refetch} />;
  if (entries.rows === undefined) return <Loading />;
  if (entries.rows.length === 0) return <p className="soft">{t.noHistory}</p>;
  return (
    <div className="stack">
      <Comparison entries={entries.rows} />
      {entries.rows.map(({ _id, timestamp, userId, before, after }) => (
        <section key={_id} className="card card-body stack" aria-label={timestamp}>
          <p className="row">
            <strong>{userId}</strong>
            <span className="soft grow">
              <Moment at={timestamp} />
            </span>
            {before === null ? null : (
              <Button icon="undo" onPress={() => onTake(before)}>
                {t.take}
              </Button>
            )}
          </p>
          <ChangeRows changes={differencesBetween(before ?? {}, after ?? {})} />
        </section>
      ))}
      {entries.hasMore ? (
        <div>
          <Button onPress={entries.more} isPending={entries.isMoreComing}>
            {c.more}
          </Button>
        </div>
      ) : null}
    </div>
  );
}
