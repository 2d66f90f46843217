import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { filter, type Page as Pages, type Scan } from '#client/index.ts';
import { Button } from '../../parts/button.tsx';
import { Card, Empty, Loaded, Page } from '../../parts/page.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { Ago } from '../../parts/time.tsx';
import { client } from '../../session/client.ts';
import { useWords } from '../../words/words.ts';
import { useReview } from '../../write/review.tsx';
import { Progress, ScanState } from './scan.tsx';
import { words } from './words.ts';

const LOOK_MS = 5_000;

export function ListPage() {
  const t = useWords(words);
  const runs = useQuery({
    queryKey: ['scan', 'list'],
    queryFn: () => client.send<{ tasks: readonly Scan[] }>({ method: 'GET', path: ['taskscanner'] }),
    refetchInterval: LOOK_MS,
    retry: false,
  });
  const columns: readonly Column<Scan>[] = [
    { id: 'name', title: t.scan, cell: ({ name, object }) => name ?? object, width: 'minmax(14rem, 2fr)' },
    { id: 'state', title: t.state, cell: (row) => <ScanState of={row} />, width: 'minmax(11rem, 1fr)' },
    { id: 'progress', title: t.progress, cell: (row) => <Progress of={row} />, width: 'minmax(16rem, 2fr)' },
    { id: 'object', title: t.objects, cell: ({ object }) => object, width: 'minmax(10rem, 1fr)' },
    { id: 'started', title: t.started, cell: ({ started }) => <Ago at={started} />, width: '9rem' },
  ];
  return (
    <Page title={t.title} says={t.says}>
      <Declared />
      <Loaded of={runs}>
        {({ tasks }) =>
          tasks.length === 0 ? (
            <Empty icon="scans" title={t.none} />
          ) : (
            <Table
              label={t.title}
              columns={columns}
              rows={tasks}
              idOf={({ _id }) => _id}
              linkOf={({ _id }) => `/scans/${encodeURIComponent(_id)}`}
            />
          )
        }
      </Loaded>
    </Page>
  );
}

/** The schedules that scan; each can be rehearsed on a few objects, and then be begun. */
function Declared() {
  const t = useWords(words);
  const review = useReview();
  const schedules = useQuery({
    queryKey: ['schedule', 'scans'],
    queryFn: () =>
      client.send<Pages<{ readonly _id: string; readonly words?: string; readonly enabled: boolean }>>({
        method: 'GET',
        path: ['scheduler', 'job'],
        parameters: {
          _queryFilter: filter`invokeService co ${'taskscanner'}`.text,
          _fields: '_id,words,enabled',
          _sortKeys: '_id',
        },
      }),
    retry: false,
  });
  const begin = (id: string) =>
    void review({
      title: t.beginTitle(id),
      done: t.beginDone(id),
      call: {
        method: 'POST',
        path: ['taskscanner'],
        parameters: { _action: 'execute', name: `schedule/${id}` },
        body: {},
      },
      touches: ['scan'],
      isSlow: true,
    });
  return (
    <Card title={t.declared}>
      <Loaded of={schedules}>
        {({ result }) =>
          result.length === 0 ? (
            <p className="soft">{t.noDeclared}</p>
          ) : (
            <ul className="lines">
              {result.map(({ _id, words: said, enabled }) => (
                <li key={_id}>
                  <Link to={`/schedules/${encodeURIComponent(_id)}`}>{_id}</Link>
                  <span className="soft grow">{enabled ? said : t.disabled}</span>
                  <Button icon="play" onPress={() => begin(_id)}>
                    {t.begin}
                  </Button>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Card>
  );
}
