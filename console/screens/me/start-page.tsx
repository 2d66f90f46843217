import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useTyped } from '../../form/dirty.ts';
import { SchemaForm } from '../../form/form.tsx';
import type { Schema } from '../../form/schema.ts';
import { Button } from '../../parts/button.tsx';
import { useKeys } from '../../parts/keys.ts';
import { Loaded } from '../../parts/page.tsx';
import { client } from '../../session/client.ts';
import { useWords } from '../../words/words.ts';
import { useReview } from '../../write/review.tsx';
import { MePage } from './me-page.tsx';
import { type StartSearch, startRoute } from './routes.ts';
import { valuesOf } from './values.ts';
import { words } from './words.ts';

interface Form extends Schema {
  readonly title: string;
}

/** The form that a process begins with. */
export function StartPage() {
  const { key } = startRoute.useParams();
  const form = useQuery({
    queryKey: ['start', key],
    queryFn: () => client.send<Form>({ method: 'GET', path: ['schema', 'process', key, 'start'] }),
    retry: false,
  });
  return <Loaded of={form}>{(found) => <Start key={key} process={key} form={found} />}</Loaded>;
}

function Start({ process, form }: { readonly process: string; readonly form: Form }) {
  const t = useWords(words);
  const navigate = useNavigate();
  const review = useReview();
  const { role }: StartSearch = startRoute.useSearch();
  const { typed, type: change, forget } = useTyped(`start ${process} ${role ?? ''}`, form, t.leave);
  const values = { ...valuesOf(form), ...(role === undefined ? {} : { role }), ...typed };
  const send = async () => {
    const content = Object.fromEntries(
      Object.entries(values).filter(([, value]) => value !== null && value !== undefined),
    );
    const done = await review({
      title: t.begun(form.title),
      done: t.begunDone,
      call: { method: 'POST', path: ['workflow', 'processinstance'], body: { ...content, _key: process } },
      touches: ['instance', 'task'],
    });
    if (done === undefined) return;
    forget();
    void navigate({ to: '/me/requests' });
  };
  useKeys({ 'mod+enter': () => void send() });
  return (
    <MePage title={form.title}>
      <div className="card card-body">
        <SchemaForm schema={form} values={values} onChange={change} />
      </div>
      <div className="row">
        <Button look="primary" onPress={() => void send()}>
          {t.begin}
        </Button>
      </div>
    </MePage>
  );
}
