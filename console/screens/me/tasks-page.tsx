import { Link } from '@tanstack/react-router';
import { usePages } from '../../live/pages.ts';
import { Button } from '../../parts/button.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { Empty, Loading } from '../../parts/page.tsx';
import { Ago } from '../../parts/time.tsx';
import { common } from '../../words/common.ts';
import { useWords } from '../../words/words.ts';
import styles from './me.module.css';
import { MePage } from './me-page.tsx';
import { words } from './words.ts';

/** As `workflow/taskinstance?_queryId=mine` answers. */
export interface Task {
  readonly _id: string;
  readonly name: string;
  readonly processName: string;
  readonly startUserId: string | null;
  readonly createTime: string;
  readonly dueDate: string | null;
}

const PAGE_SIZE = '30';

function useTasks(which: 'mine' | 'claimable') {
  return usePages<Task>({
    key: ['task', which],
    path: 'workflow/taskinstance',
    parameters: { _queryId: which, _pageSize: PAGE_SIZE },
  });
}

export function TasksPage() {
  const t = useWords(words);
  const mine = useTasks('mine');
  const claimable = useTasks('claimable');
  const isEmpty = mine.rows?.length === 0 && claimable.rows?.length === 0;
  return (
    <MePage title={t.tasks}>
      {isEmpty ? (
        <Empty icon="check" title={t.noTasks}>
          <p>{t.noTasksText}</p>
        </Empty>
      ) : (
        <>
          <Tasks title={t.mine} tasks={mine} />
          <Tasks title={t.claimable} tasks={claimable} />
        </>
      )}
    </MePage>
  );
}

function Tasks({ title, tasks }: { readonly title: string; readonly tasks: ReturnType<typeof useTasks> }) {
  const t = useWords(words);
  const c = useWords(common);
  if (tasks.error !== null) return <ErrorNote error={tasks.error} retry={tasks.refetch} />;
  if (tasks.rows === undefined) return <Loading />;
  if (tasks.rows.length === 0) return null;
  return (
    <section className="stack" aria-label={title}>
      <h2>{title}</h2>
      <ul className={styles['list']}>
        {tasks.rows.map((task) => (
          <li key={task._id}>
            <Link to={`/me/task/${task._id}`} className={styles['item']}>
              <span className={styles['what']}>
                <strong>{task.name}</strong>
                <br />
                <span className="soft">
                  {task.processName}
                  {task.startUserId === null ? null : ` · ${t.startedBy(task.startUserId)}`}
                </span>
              </span>
              <span className="soft">
                {task.dueDate === null ? (
                  <Ago at={task.createTime} />
                ) : (
                  <>
                    {t.due} <Ago at={task.dueDate} />
                  </>
                )}
              </span>
            </Link>
          </li>
        ))}
      </ul>
      {tasks.hasMore ? (
        <div>
          <Button onPress={tasks.more} isPending={tasks.isMoreComing}>
            {c.more}
          </Button>
        </div>
      ) : null}
    </section>
  );
}
