import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Button } from '../../parts/button.tsx';
import { Card, Loaded, Page } from '../../parts/page.tsx';
import { Moment } from '../../parts/time.tsx';
import { client } from '../../session/client.ts';
import { ResourceLink } from '../../sync/resource-link.tsx';
import { useWords } from '../../words/words.ts';
import { useReview } from '../../write/review.tsx';
import { undoOf } from '../../write/write.ts';
import styles from './audit.module.css';
import { Difference } from './difference.tsx';
import { type Entry, Outcome, objectOf } from './entry.tsx';
import { transactionRoute } from './routes.ts';
import { words } from './words.ts';

/** As `audit/transaction/<id>` answers: its own entries, and below them what it has caused. */
interface Transaction {
  readonly transaction: string;
  readonly entries: readonly Entry[];
  readonly firings?: readonly { readonly _id: string; readonly schedule: string; readonly outcome: string }[];
  readonly children?: readonly Transaction[];
  readonly truncated?: boolean;
}

export function TransactionPage() {
  const t = useWords(words);
  const review = useReview();
  const { id } = transactionRoute.useParams();
  const tree = useQuery({
    queryKey: ['audit', 'transaction', id],
    queryFn: () => client.send<Transaction>({ method: 'GET', path: ['audit', 'transaction', id] }),
    retry: false,
  });
  const undo = () => void review({ ...undoOf(t.undoTitle(id), t.undone, id), touches: ['audit'] });
  const isChange = tree.data !== undefined && changes(tree.data);
  return (
    <Page
      title={t.transaction}
      says={
        <>
          <Link to="/audit">{t.title}</Link> <code>{id}</code>
        </>
      }
      actions={
        isChange ? (
          <Button icon="undo" onPress={undo}>
            {t.undo}
          </Button>
        ) : null
      }
    >
      <Card title={t.tree}>
        <Loaded of={tree}>{(found) => <Branch transaction={found} />}</Loaded>
      </Card>
    </Page>
  );
}

function changes({ entries, children = [] }: Transaction): boolean {
  return entries.some(({ topic }) => topic === 'activity' || topic === 'config') || children.some(changes);
}

function Branch({ transaction }: { readonly transaction: Transaction }) {
  const t = useWords(words);
  const { entries, firings = [], children = [], truncated } = transaction;
  return (
    <ul className={styles['branch']}>
      {entries.map((entry) => (
        <li key={entry._id} className={styles['entry']}>
          <span className="soft">
            <Moment at={entry.timestamp} />
          </span>
          <span className={styles['what']}>
            <strong>{entry.operation ?? entry.topic}</strong> <ResourceLink of={objectOf(entry)} />
            {entry.changedFields === undefined || entry.changedFields.length === 0 ? null : (
              <>
                {' '}
                <code>{entry.changedFields.join(' ')}</code>
              </>
            )}
          </span>
          <span className="soft">{entry.userId}</span>
          <Outcome entry={entry} />
          {entry.topic === 'activity' || entry.topic === 'config' ? <Difference of={entry} /> : null}
        </li>
      ))}
      {firings.map(({ _id, schedule, outcome }) => (
        <li key={_id} className={styles['entry']}>
          <span className="soft">{t.runs}</span>
          <span className={styles['what']}>
            <Link to={`/schedules/${encodeURIComponent(schedule)}`}>{schedule}</Link> {outcome}
          </span>
        </li>
      ))}
      {children.map((child) => (
        <li key={child.transaction}>
          <Branch transaction={child} />
        </li>
      ))}
      {truncated === true ? <li className="hint">{t.truncated}</li> : null}
    </ul>
  );
}
