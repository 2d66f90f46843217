import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { type JsonObject, NotFoundError } from '#client/index.ts';
import { useTyped } from '../../form/dirty.ts';
import { SchemaForm } from '../../form/form.tsx';
import { kindOf, type Schema, titleOf } from '../../form/schema.ts';
import { words as formWords } from '../../form/words.ts';
import { Button } from '../../parts/button.tsx';
import { useKeys } from '../../parts/keys.ts';
import { Empty, Loaded } from '../../parts/page.tsx';
import { client } from '../../session/client.ts';
import { useIdentity } from '../../session/identity.ts';
import { plainText } from '../../words/plain-text.ts';
import { useWords } from '../../words/words.ts';
import { useReview } from '../../write/review.tsx';
import type { FieldChange } from '../../write/write.ts';
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
  const { policies } = useWords(formWords);
  const [isTried, setTried] = useState(false);
  const missing = missingIn(form, values);
  const act = async (
    action: string,
    title: string,
    done: string,
    { body, shows }: { readonly body: unknown; readonly shows?: readonly FieldChange[] | undefined },
  ) => {
    const path = ['workflow', 'taskinstance', id];
    return review({
      title,
      done,
      call: { method: 'POST', path, parameters: { _action: action }, body },
      shows,
      touches: ['task'],
    });
  };
  const complete = async () => {
    setTried(true);
    if (missing.length > 0) return;
    const body = Object.fromEntries(Object.entries(typed).filter(([, value]) => value !== null));
    const shows = saidIn(form, body);
    if ((await act('complete', t.completed(form.title), t.completedDone, { body, shows })) === undefined)
      return;
    forget();
    void navigate({ to: '/me' });
  };
  const claim = () =>
    void act('claim', t.claimed(form.title), t.claimedDone, { body: { userId: identity.id } });
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
            problems={Object.fromEntries(
              isTried ? missing.map((name) => [name, policies['REQUIRED'] ?? '']) : [],
            )}
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
            <Button onPress={() => void act('unclaim', t.unclaim, t.unclaimedDone, { body: {} })}>
              {t.unclaim}
            </Button>
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

/** What has to be filled in, and is not. */
function missingIn(
  { order, properties }: Form,
  values: Readonly<Record<string, unknown>>,
): readonly string[] {
  return order.filter((name) => {
    const { required, userEditable } = properties[name] ?? {};
    const value = values[name] ?? '';
    return required === true && userEditable === true && value === '';
  });
}

/** What is decided, as the form calls it; undefined where nothing is filled in. */
function saidIn(
  { properties }: Form,
  content: Readonly<Record<string, unknown>>,
): readonly FieldChange[] | undefined {
  const said = Object.entries(content).map(([name, value]): FieldChange => {
    const property = properties[name] ?? {};
    const shown = (each: unknown) => property.enumTitles?.[plainText(each)] ?? each;
    const isSecret = kindOf(property) === 'secret';
    return {
      field: titleOf(name, property),
      before: isSecret ? undefined : shown(property.value),
      after: isSecret ? '•••' : shown(value),
    };
  });
  return said.length === 0 ? undefined : said;
}
