import { useNavigate } from '@tanstack/react-router';
import { useTyped } from '../../form/dirty.ts';
import { SchemaForm } from '../../form/form.tsx';
import { isComputed } from '../../form/schema.ts';
import { Button } from '../../parts/button.tsx';
import { useKeys } from '../../parts/keys.ts';
import { Loaded, Page } from '../../parts/page.tsx';
import { common } from '../../words/common.ts';
import { useWords } from '../../words/words.ts';
import { useReview } from '../../write/review.tsx';
import { newRoute } from './routes.ts';
import { type ManagedType, useType } from './types.ts';
import { words } from './words.ts';

export function NewPage() {
  const { type } = newRoute.useParams();
  const managed = useType(type);
  return <Loaded of={managed}>{(known) => <New managed={known} />}</Loaded>;
}

function New({ managed }: { readonly managed: ManagedType }) {
  const t = useWords(words);
  const c = useWords(common);
  const { type, title, properties } = managed;
  const navigate = useNavigate();
  const review = useReview();
  const { typed, isDirty, type: change, forget } = useTyped(`new ${type}`, managed, t.leave);
  const save = async () => {
    const content = Object.fromEntries(Object.entries(typed).filter(([, value]) => value !== null));
    const done = await review({
      title: t.created(title),
      done: t.createdDone,
      call: { method: 'POST', path: ['managed', type], parameters: { _action: 'create' }, body: content },
      touches: [`object:${type}`, 'audit'],
    });
    if (done === undefined) return;
    forget();
    const { answer } = done;
    const id = typeof answer === 'object' && answer !== null && '_id' in answer ? String(answer._id) : '';
    void navigate({ to: `/objects/${type}/${encodeURIComponent(id)}` });
  };
  useKeys({ 'mod+enter': () => void save() });
  return (
    <Page title={t.created(title)}>
      <div className="card card-body">
        <SchemaForm
          schema={managed}
          values={typed}
          onChange={change}
          isShown={(name) => {
            const property = properties[name] ?? {};
            return !isComputed(name, property) && property.relationship?.many !== true;
          }}
        />
      </div>
      <div className="bar">
        <Button look="primary" isDisabled={!isDirty} onPress={() => void save()}>
          {c.create}
        </Button>
        <Button onPress={() => void navigate({ to: `/objects/${type}` })}>{c.cancel}</Button>
      </div>
    </Page>
  );
}
