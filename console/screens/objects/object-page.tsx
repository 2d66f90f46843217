import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type JsonObject, NotFoundError, type Stored } from '#client/index.ts';
import { patchOf, useTyped } from '../../form/dirty.ts';
import { SchemaForm } from '../../form/form.tsx';
import { nameOf, refOf } from '../../form/schema.ts';
import { Button } from '../../parts/button.tsx';
import { useKeys } from '../../parts/keys.ts';
import { Menu } from '../../parts/menu.tsx';
import { Empty, Loaded, Page } from '../../parts/page.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { client } from '../../session/client.ts';
import { useGrants } from '../../session/grants.ts';
import { Accounts } from '../../sync/accounts.tsx';
import { common } from '../../words/common.ts';
import { useWords } from '../../words/words.ts';
import { PageKeys } from '../../write/page-keys.tsx';
import { useReview } from '../../write/review.tsx';
import { Graph } from './graph.tsx';
import { History } from './history.tsx';
import { HooksTab } from './hooks-tab.tsx';
import { Links } from './links.tsx';
import styles from './objects.module.css';
import { type ObjectSearch, objectRoute } from './routes.ts';
import { type ManagedType, useType } from './types.ts';
import { words } from './words.ts';

const WHY = { method: 'read', path: 'sync/why' } as const;
const DECLARED = { method: 'read', path: 'config/managed' } as const;

export function ObjectPage() {
  const { type, id } = objectRoute.useParams();
  const managed = useType(type);
  return <Loaded of={managed}>{(known) => <Found key={`${type}/${id}`} managed={known} id={id} />}</Loaded>;
}

/** A relationship of many may have a million ends: those are asked for page by page, where they are looked at. */
function fieldsOf({ order, properties }: ManagedType): readonly string[] {
  const single = order.filter((name) => properties[name]?.relationship?.many === false);
  return ['*', ...single.map((name) => `${name}/*`)];
}

function Found({ managed, id }: { readonly managed: ManagedType; readonly id: string }) {
  const t = useWords(words);
  const { type } = managed;
  const object = useQuery({
    queryKey: [`object:${type}`, 'one', id],
    queryFn: ({ signal }) => client.managed(type).read(id, { fields: fieldsOf(managed), signal }),
    retry: false,
  });
  if (object.error instanceof NotFoundError) {
    return (
      <Page title={id}>
        <Empty icon="search" title={t.gone}>
          <p>{t.goneText}</p>
        </Empty>
        <History path={`managed/${type}/${id}`} />
      </Page>
    );
  }
  return <Loaded of={object}>{(found) => <One managed={managed} object={found} />}</Loaded>;
}

function One({ managed, object }: { readonly managed: ManagedType; readonly object: Stored<JsonObject> }) {
  const t = useWords(words);
  const c = useWords(common);
  const { type, may, properties } = managed;
  const { _id, _rev } = object;
  const path = ['managed', type, _id];
  const navigate = useNavigate();
  const review = useReview();
  const { tab = 'form' }: ObjectSearch = objectRoute.useSearch();
  const { typed, isDirty, type: change, forget } = useTyped(path.join('/'), managed, t.leave);
  const operations = patchOf(object, typed);
  const name = nameOf(object);
  const topic = `object:${type}`;
  const save = async () => {
    if (operations.length === 0) return;
    const done = await review({
      title: t.changed(name),
      done: t.changedDone(name),
      call: { method: 'PATCH', path, headers: { 'If-Match': `"${_rev}"` }, body: operations },
      base: object,
      touches: [topic, 'audit'],
    });
    if (done !== undefined) forget();
  };
  const remove = async () => {
    const done = await review({
      title: t.deleted(name),
      done: t.deletedDone(name),
      call: { method: 'DELETE', path, headers: { 'If-Match': `"${_rev}"` } },
      typed: _id,
      touches: [topic, 'audit'],
    });
    if (done !== undefined) void navigate({ to: `/objects/${type}` });
  };
  const go = (next: string) =>
    void navigate({
      to: `/objects/${type}/${encodeURIComponent(_id)}`,
      search: { tab: next },
      replace: true,
    });
  useKeys({ 'mod+enter': () => void save(), h: () => go('history') });
  const mayPatch = may.includes('patch');
  const grants = useGrants([WHY, DECLARED]);
  const many = managed.order.filter((each) => properties[each]?.relationship?.many === true);
  return (
    <Page
      title={name}
      says={
        <>
          <Link to={`/objects/${type}`}>{managed.title}</Link> <code>{_id}</code> · {t.revision(_rev)}
        </>
      }
      actions={
        may.includes('delete') ? (
          <Menu
            isIcon
            label={c.actions}
            choices={[{ id: 'delete', title: c.delete }]}
            onChoose={() => void remove()}
          />
        ) : null
      }
    >
      <PageKeys
        path={path}
        touches={[topic]}
        onWhy={() => go(managed.actions.includes('explain') ? 'links' : 'history')}
      />
      <Tabs
        label={name}
        at={tab}
        onGo={go}
        tabs={[
          {
            id: 'form',
            title: t.form,
            content: (
              <div className="card card-body">
                <SchemaForm
                  schema={managed}
                  values={{ ...object, ...typed }}
                  onChange={change}
                  isEditable={() => mayPatch}
                  isShown={(each) => each !== '_id' && !many.includes(each)}
                />
              </div>
            ),
          },
          {
            id: 'links',
            title: t.links,
            content: <Links managed={managed} id={_id} owner={name} names={many} mayChange={mayPatch} />,
          },
          ...(managed.order.some((each) => properties[each]?.relationship !== undefined)
            ? [
                {
                  id: 'graph',
                  title: t.graph,
                  content: <Graph path={refOf(`managed/${type}`, _id)} name={name} />,
                },
              ]
            : []),
          ...(grants.may(WHY)
            ? [
                {
                  id: 'accounts',
                  title: t.accounts,
                  content: <Accounts resource={path.join('/')} topic={topic} />,
                },
              ]
            : []),
          { id: 'history', title: t.history, content: <History path={path.join('/')} /> },
          ...(grants.may(DECLARED)
            ? [
                {
                  id: 'hooks',
                  title: t.hooks,
                  content: <HooksTab type={type} id={_id} />,
                },
              ]
            : []),
          {
            id: 'json',
            title: t.json,
            content: (
              // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys
              <pre className={`card ${styles['json']}`} tabIndex={0}>
                {JSON.stringify(object, null, 2)}
              </pre>
            ),
          },
        ]}
      />
      {isDirty && operations.length > 0 ? (
        <div className="bar">
          <Button look="primary" onPress={() => void save()}>
            {t.review(operations.length)}
          </Button>
          <Button onPress={forget}>{t.reset}</Button>
        </div>
      ) : null}
    </Page>
  );
}
