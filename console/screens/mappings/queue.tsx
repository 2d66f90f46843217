import { filter } from '#client/index.ts';
import { usePages } from '../../live/pages.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { Empty } from '../../parts/page.tsx';
import { PageList } from '../../parts/page-list.tsx';
import type { Column } from '../../parts/table.tsx';
import { Ago } from '../../parts/time.tsx';
import { addressOf as pageOf } from '../../sync/address.ts';
import { useWords } from '../../words/words.ts';
import { useReview } from '../../write/review.tsx';
import { words } from './words.ts';

const PAGE_SIZE = '50';

interface Row {
  readonly _id: string;
  readonly sourceId: string;
  readonly state: string;
  readonly attempt: number;
  readonly dueAt: string;
  readonly error: { readonly message?: string } | null;
}

/** What this mapping has still to deliver, has given up, or holds until somebody agrees. */
export function Queue({ name, source }: { readonly name: string; readonly source: string }) {
  const t = useWords(words);
  const review = useReview();
  const list = usePages<Row>({
    key: ['audit', 'queue', name],
    path: 'sync/queue',
    parameters: { _queryFilter: filter`mapping eq ${name}`.text, _pageSize: PAGE_SIZE },
  });
  const states = new Set(list.rows?.map(({ state }) => state));
  const act = (action: 'retry' | 'drop' | 'approve') =>
    void review({
      title: t[`${action}Title`](name),
      done: t[`${action}Done`],
      call: {
        method: 'POST',
        path: ['sync', 'queue'],
        parameters: { _action: action, mapping: name },
        body: {},
      },
      ...(action === 'approve' ? { typed: name } : {}),
      touches: ['audit'],
    });
  const columns: readonly Column<Row>[] = [
    { id: 'object', title: t.object, cell: ({ sourceId }) => sourceId, width: 'minmax(12rem, 1fr)' },
    {
      id: 'state',
      title: t.state,
      cell: ({ state }) => (
        <Badge tone={state === 'dead' ? 'bad' : 'warn'} mark={state === 'dead' ? '✖' : '◌'}>
          {state === 'dead' ? t.dead : state === 'held' ? t.held : t.waits}
        </Badge>
      ),
      width: '11rem',
    },
    { id: 'attempt', title: t.attempt, cell: ({ attempt }) => attempt, width: '7rem' },
    { id: 'due', title: t.due, cell: ({ dueAt }) => <Ago at={dueAt} />, width: '11rem' },
    { id: 'error', title: t.error, cell: ({ error }) => error?.message ?? '', width: '30rem' },
  ];
  return (
    <div className="stack">
      <div className="row">
        {states.has('dead') ? (
          <>
            <Button look="primary" onPress={() => act('retry')}>
              {t.retry}
            </Button>
            <Button onPress={() => act('drop')}>{t.drop}</Button>
          </>
        ) : null}
        {states.has('held') ? <Button onPress={() => act('approve')}>{t.approve}</Button> : null}
      </div>
      <PageList
        of={list}
        empty={<Empty icon="check" title={t.noQueue} />}
        label={t.queue}
        columns={columns}
        linkOf={({ sourceId }) => `${pageOf(`${source}/${sourceId}`)?.to ?? '/objects'}?tab=accounts`}
      />
    </div>
  );
}
