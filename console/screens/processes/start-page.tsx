import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useTyped } from '../../form/dirty.ts';
import { SchemaForm } from '../../form/form.tsx';
import type { Schema } from '../../form/schema.ts';
import { Button } from '../../parts/button.tsx';
import { useKeys } from '../../parts/keys.ts';
import { Loaded, Page } from '../../parts/page.tsx';
import { client } from '../../session/client.ts';
import { common } from '../../words/common.ts';
import { useWords } from '../../words/words.ts';
import { useReview } from '../../write/review.tsx';
import { addressOf } from './process.tsx';
import { startRoute } from './routes.ts';
import { words } from './words.ts';

interface StartForm extends Schema {
  readonly title: string;
}

export function StartPage() {
  const { id } = startRoute.useParams();
  const form = useQuery({
    queryKey: ['definition', 'start', id],
    queryFn: () => client.send<StartForm>({ method: 'GET', path: ['schema', 'process', id, 'start'] }),
    retry: false,
  });
  return <Loaded of={form}>{(found) => <Start key={id} id={id} form={found} />}</Loaded>;
}

function Start({ id, form }: { readonly id: string; readonly form: StartForm }) {
  const t = useWords(words);
  const c = useWords(common);
  const navigate = useNavigate();
  const review = useReview();
  const { typed, type, forget } = useTyped(`process ${id}`, form, t.leave);
  const preset = Object.fromEntries(
    Object.entries(form.properties).flatMap(([name, { value }]) =>
      value === null || value === undefined ? [] : [[name, value]],
    ),
  );
  const values = { ...preset, ...typed };
  const start = async () => {
    const done = await review({
      title: t.startTitle(form.title),
      done: t.startDone(form.title),
      call: {
        method: 'POST',
        path: ['workflow', 'processinstance'],
        body: { _processDefinitionId: id, ...withoutEmpty(values) },
      },
      touches: ['instance'],
    });
    if (done === undefined) return;
    forget();
    const { answer } = done;
    const made = typeof answer === 'object' && answer !== null && '_id' in answer ? String(answer._id) : '';
    void navigate({ to: addressOf('instance', made) });
  };
  useKeys({ 'mod+enter': () => void start() });
  return (
    <Page title={t.startTitle(form.title)} says={<Link to={addressOf('definition', id)}>{id}</Link>}>
      <div className="card card-body">
        {form.order.length === 0 ? <p className="soft">{t.noForm}</p> : null}
        <SchemaForm schema={form} values={values} onChange={type} />
      </div>
      <div className="bar">
        <Button look="primary" icon="play" onPress={() => void start()}>
          {t.start}
        </Button>
        <Button onPress={() => void navigate({ to: addressOf('definition', id) })}>{c.cancel}</Button>
      </div>
    </Page>
  );
}

function withoutEmpty(values: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
}
