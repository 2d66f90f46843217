import type { JsonObject } from '#client/index.ts';
import { filter } from '#client/index.ts';
import { usePages } from '../../live/pages.ts';
import { Button } from '../../parts/button.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { Loading } from '../../parts/page.tsx';
import { Ago } from '../../parts/time.tsx';
import { useWords } from '../../words/words.ts';
import { ChangeRows } from '../../write/changes.tsx';
import { Comparison } from '../../write/comparison.tsx';
import { useReview } from '../../write/review.tsx';
import { words as writeWords } from '../../write/words.ts';
import { changesBetween } from '../../write/write.ts';
import styles from './objects.module.css';
import { words } from './words.ts';

interface Entry {
  readonly _id: string;
  readonly timestamp: string;
  readonly userId: string;
  readonly operation: keyof typeof words.en;
  readonly before: JsonObject | null;
  readonly after: JsonObject | null;
}

const PAGE_SIZE = '20';

/** What has become of an object, the latest first; each change can be taken back. */
export function History({ path }: { readonly path: string }) {
  const t = useWords(words);
  const w = useWords(writeWords);
  const review = useReview();
  const entries = usePages<Entry>({
    key: ['audit', 'of', path],
    path: 'audit/activity',
    parameters: {
      _queryFilter: filter`objectId eq ${path}`.text,
      _sortKeys: '-timestamp',
      _pageSize: PAGE_SIZE,
    },
  });
  if (entries.error !== null) return <ErrorNote error={entries.error} retry={entries.refetch} />;
  if (entries.rows === undefined) return <Loading />;
  if (entries.rows.length === 0) return <p className="soft">{t.noHistory}</p>;
  const undo = (entry: Entry) =>
    void review({
      title: w.undoTitle(path),
      done: w.undone,
      call: {
        method: 'POST',
        path: ['audit', 'activity', entry._id],
        parameters: { _action: 'revert' },
        body: {},
      },
      touches: ['audit', `object:${path.split('/')[1] ?? ''}`],
    });
  return (
    <div className="card card-body">
      <Comparison entries={entries.rows} />
      <ol>
        {entries.rows.map((entry) => {
          const said = t[entry.operation];
          return (
            <li key={entry._id} className={styles['entry']}>
              <div className="row">
                <strong>{typeof said === 'string' ? said : entry.operation}</strong>
                <span className="soft grow">
                  {`${t.by} ${entry.userId} `}
                  <Ago at={entry.timestamp} />
                </span>
                <Button icon="undo" onPress={() => undo(entry)}>
                  {w.undo}
                </Button>
              </div>
              {entry.before === null || entry.after === null ? null : (
                <ChangeRows changes={changesBetween(entry.before, entry.after)} />
              )}
            </li>
          );
        })}
      </ol>
      {entries.hasMore ? (
        <Button onPress={entries.more} isPending={entries.isMoreComing}>
          {t.showMore}
        </Button>
      ) : null}
    </div>
  );
}
