import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type JsonObject, NotFoundError } from '#client/index.ts';
import { useTyped } from '../../form/dirty.ts';
import { SchemaForm } from '../../form/form.tsx';
import type { Schema } from '../../form/schema.ts';
import { Button } from '../../parts/button.tsx';
import { useKeys } from '../../parts/keys.ts';
import { Empty, Loaded } from '../../parts/page.tsx';
import { client } from '../../session/client.ts';
import { useIdentity } from '../../session/identity.ts';
import { useWords } from '../../words/words.ts';
import { useReview } from '../../write/review.tsx';
import { MePage } from './me-page.tsx';
import { taskRoute } from './routes.ts';
import { valuesOf } from './values.ts';
import { words } from './words.ts';

interface Form extends Schema {
  readonly title: string;
}

export function TaskPage() {
  const t = useWords(words);
  const { id } = taskRoute.useParams();
  const form = useQuery({
    queryKey: ['task', 'one', id],
    queryFn: async () => {
      const [schema, task] = await Promise.all([
        client.send<Form>({ method: 'GET', path: ['schema', 'task', id] }),
        client.tasks.read(id, { fields: ['name', 'description', 'assignee'] }),
      ]);
      return { schema, task };
    },
    retry: false,
  });
  if (form.error instanceof NotFoundError) {
    return (
      <MePage title={t.tasks}>
        <Empty icon="check" title={t.gone}>
          <p>{t.goneText}</p>
        </Empty>
      </MePage>
    );
  }
  return (
    <Loaded of={form}>{({ schema, task }) => <OneTask key={id} id={id} form={schema} task={task} />}</Loaded>
  );
}

function OneTask({
  id,
  form,
  task,
}: {
  readonly id: string;
  readonly form: Form;
  readonly task: JsonObject;
}) {
  const t = useWords(words);
  const navigate = useNavigate();
  const review = useReview();
  const identity = useIdentity();
  const { typed, type: change, forget } = useTyped(`task ${id}`, form, t.leave);
  const isMine = task['assignee'] === identity.id || task['assignee'] === identity.name;
  const values = { ...valuesOf(form), ...typed };
  const act = async (action: string, title: string, done: string, body?: unknown) => {
    const path = ['workflow', 'taskinstance', id];
    return review({
      title,
      done,
      call: { method: 'POST', path, parameters: { _action: action }, body },
      touches: ['task'],
    });
  };
  const complete = async () => {
    const content = Object.fromEntries(Object.entries(typed).filter(([, value]) => value !== null));
    if ((await act('complete', t.completed(form.title), t.completedDone, content)) === undefined) return;
    forget();
    void navigate({ to: '/me' });
  };
  const claim = () => void act('claim', t.claimed(form.title), t.claimedDone, { userId: identity.id });
  useKeys(isMine ? { 'mod+enter': () => void complete() } : { c: claim });
  const description = task['description'];
  return (
    <MePage title={form.title}>
      {typeof description === 'string' && description !== '' ? <p>{description}</p> : null}
      {form.order.length === 0 ? null : (
        <div className="card card-body">
          <SchemaForm
            schema={form}
            values={values}
            onChange={change}
            isEditable={(name) => isMine && form.properties[name]?.userEditable === true}
          />
        </div>
      )}
      <div className="row">
        {isMine ? (
          <>
            <Button look="primary" onPress={() => void complete()}>
              {t.complete}
            </Button>
            <Button onPress={() => void act('unclaim', t.unclaim, t.unclaimedDone, {})}>{t.unclaim}</Button>
          </>
        ) : (
          <Button look="primary" onPress={claim}>
            {t.claim}
          </Button>
        )}
      </div>
    </MePage>
  );
}
