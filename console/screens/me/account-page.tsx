import { useMutation, useQuery } from '@tanstack/react-query';
import type { JsonObject, Stored } from '#client/index.ts';
import { patchOf, useTyped } from '../../form/dirty.ts';
import { SchemaForm } from '../../form/form.tsx';
import type { Schema } from '../../form/schema.ts';
import { Button } from '../../parts/button.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { useKeys } from '../../parts/keys.ts';
import { Card, Loaded } from '../../parts/page.tsx';
import { client } from '../../session/client.ts';
import { useIdentity } from '../../session/identity.ts';
import { useWords } from '../../words/words.ts';
import { useReview } from '../../write/review.tsx';
import { MePage } from './me-page.tsx';
import { saveOwnData } from './own-data.ts';
import { OwnSessions } from './own-sessions.tsx';
import { words } from './words.ts';

/** The caller's own object, as far as they may see it; what they may change can be changed. */
export function AccountPage() {
  const t = useWords(words);
  const { component, id } = useIdentity();
  const type = component.replace(/^managed\//, '');
  const isManaged = component.startsWith('managed/');
  const account = useQuery({
    queryKey: [`object:${type}/${id}`, 'own'],
    queryFn: async () => {
      const [schema, object] = await Promise.all([
        client.send<Schema>({ method: 'GET', path: ['schema', 'managed', type] }),
        client.managed(type).read(id),
      ]);
      return { schema, object };
    },
    enabled: isManaged,
    retry: false,
  });
  if (!isManaged) {
    return (
      <MePage title={t.account}>
        <p>{t.noAccount}</p>
      </MePage>
    );
  }
  return (
    <Loaded of={account}>
      {({ schema, object }) => <Account type={type} schema={schema} object={object} />}
    </Loaded>
  );
}

function Account({
  type,
  schema,
  object,
}: {
  readonly type: string;
  readonly schema: Schema;
  readonly object: Stored<JsonObject>;
}) {
  const t = useWords(words);
  const review = useReview();
  const { _id, _rev } = object;
  const { typed, type: change, forget } = useTyped(`own ${type}/${_id}`, schema, t.leave);
  const operations = patchOf(object, typed);
  const save = async () => {
    if (operations.length === 0) return;
    const done = await review({
      title: t.changed,
      done: t.changedDone,
      call: {
        method: 'PATCH',
        path: ['managed', type, _id],
        headers: { 'If-Match': `"${_rev}"` },
        body: operations,
      },
      base: object,
      touches: [`object:${type}/${_id}`],
    });
    if (done !== undefined) forget();
  };
  const saved = useMutation({
    mutationFn: async () => {
      const related = schema.order.filter((name) => schema.properties[name]?.relationship !== undefined);
      await saveOwnData(type, _id, related);
    },
  });
  useKeys({ 'mod+enter': () => void save() });
  return (
    <MePage title={t.account}>
      <div className="card card-body">
        <SchemaForm
          schema={schema}
          values={{ ...object, ...typed }}
          onChange={change}
          isEditable={(name) => schema.properties[name]?.userEditable === true}
          isShown={(name) => {
            const { relationship, viewable, userEditable } = schema.properties[name] ?? {};
            return relationship === undefined && (viewable !== false || userEditable === true);
          }}
        />
      </div>
      <div className="row">
        <Button look="primary" isDisabled={operations.length === 0} onPress={() => void save()}>
          {t.change(operations.length)}
        </Button>
      </div>
      <OwnSessions />
      <Card title={t.data}>
        <div className="stack">
          <p>{t.dataText}</p>
          {saved.error === null ? null : <ErrorNote error={saved.error} />}
          <div>
            <Button isPending={saved.isPending} onPress={() => saved.mutate()}>
              {t.saveData}
            </Button>
          </div>
        </div>
      </Card>
    </MePage>
  );
}
