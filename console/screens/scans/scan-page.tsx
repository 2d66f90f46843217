import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Scan } from '#client/index.ts';
import { usePages } from '../../live/pages.ts';
import { Button } from '../../parts/button.tsx';
import { Facts } from '../../parts/facts.tsx';
import { useKeys } from '../../parts/keys.ts';
import { Card, Empty, Loaded, Page } from '../../parts/page.tsx';
import { PageList } from '../../parts/page-list.tsx';
import type { Column } from '../../parts/table.tsx';
import { Ago, Moment } from '../../parts/time.tsx';
import { client } from '../../session/client.ts';
import { useWords } from '../../words/words.ts';
import { useReview } from '../../write/review.tsx';
import { shown } from '../../write/write.ts';
import { scanRoute } from './routes.ts';
import { alike, isUnderWay, Progress, ScanState } from './scan.tsx';
import { words } from './words.ts';

const LOOK_MS = 2_000;
const PAGE_SIZE = '50';

export function ScanPage() {
  const { id } = scanRoute.useParams();
  const scan = useQuery({
    queryKey: ['scan', 'one', id],
    queryFn: () => client.send<Scan>({ method: 'GET', path: ['taskscanner', id] }),
    refetchInterval: ({ state }) => (state.data !== undefined && isUnderWay(state.data) ? LOOK_MS : false),
    retry: false,
  });
  return <Loaded of={scan}>{(found) => <One key={id} scan={found} />}</Loaded>;
}

function One({ scan }: { readonly scan: Scan }) {
  const t = useWords(words);
  const review = useReview();
  const { _id, name, object, started, ended, estimate, nodes, error, progress, retryOf, retriedBy } = scan;
  const title = name ?? object;
  const act = (action: 'cancel' | 'retry') =>
    void review({
      title: action === 'cancel' ? t.cancelTitle(title) : t.retryTitle(progress.failures),
      done: action === 'cancel' ? t.cancelDone(title) : t.retryDone,
      call: { method: 'POST', path: ['taskscanner', _id], parameters: { _action: action } },
      touches: ['scan'],
    });
  const isRunning = isUnderWay(scan);
  const mayRetry = !isRunning && progress.failures > 0 && retriedBy === undefined;
  useKeys({
    c: () => (isRunning ? act('cancel') : undefined),
    x: () => (mayRetry ? act('retry') : undefined),
  });
  return (
    <Page
      title={title}
      says={
        <span className="row">
          <Link to="/scans">{t.title}</Link>
          <ScanState of={scan} />
        </span>
      }
      actions={
        isRunning ? (
          <Button onPress={() => act('cancel')}>{t.cancel}</Button>
        ) : mayRetry ? (
          <Button look="primary" onPress={() => act('retry')}>
            {t.retry}
          </Button>
        ) : null
      }
    >
      <Card title={t.progress}>
        <div className="stack">
          <Progress of={scan} />
          <Facts
            of={[
              { title: t.successes, value: progress.successes },
              { title: t.failures, value: progress.failures },
              { title: t.skipped, value: progress.skipped },
              { title: t.objects, value: object },
              { title: t.started, value: <Moment at={started} /> },
              { title: t.ended, value: <Moment at={ended} /> },
              ...(isRunning ? [{ title: t.estimate, value: <Ago at={estimate} /> }] : []),
              { title: t.nodes, value: nodes.map(shown).join(', ') || '–' },
              ...(error === null ? [] : [{ title: t.error, value: shown(error) }]),
              ...(retryOf === undefined
                ? []
                : [{ title: t.retryOf, value: <Link to={`/scans/${retryOf}`}>{retryOf}</Link> }]),
              ...(retriedBy === undefined
                ? []
                : [{ title: t.retriedBy, value: <Link to={`/scans/${retriedBy}`}>{retriedBy}</Link> }]),
            ]}
          />
        </div>
      </Card>
      {progress.failures === 0 ? null : (
        <>
          <Card title={t.alike}>
            <ul className="lines">
              {alike(scan.errors).map(({ message, objects }) => (
                <li key={message}>
                  <strong>{t.times(objects.length)}</strong>
                  <span className="grow">{message}</span>
                  <code className="soft">{objects.slice(0, 3).join(', ')}</code>
                </li>
              ))}
            </ul>
          </Card>
          <Failures id={_id} />
        </>
      )}
    </Page>
  );
}

interface Failure {
  readonly _id: string;
  readonly message: string;
  readonly failedAt: string;
}

/** All that failed, page by page. */
function Failures({ id }: { readonly id: string }) {
  const t = useWords(words);
  const list = usePages<Failure>({
    key: ['scan', 'failures', id],
    path: `taskscanner/${id}/failure`,
    parameters: { _queryFilter: 'true', _pageSize: PAGE_SIZE },
  });
  const columns: readonly Column<Failure>[] = [
    { id: 'object', title: t.object, cell: ({ _id }) => _id, width: 'minmax(14rem, 1fr)' },
    { id: 'message', title: t.message, cell: ({ message }) => message, width: '32rem' },
    { id: 'at', title: t.when, cell: ({ failedAt }) => <Moment at={failedAt} />, width: '14rem' },
  ];
  return (
    <PageList
      of={list}
      empty={<Empty icon="check" title={t.noFailures} />}
      label={t.failures}
      columns={columns}
      linkOf={({ _id }) => _id.replace(/^managed\//, '/objects/')}
    />
  );
}
