import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useDeferredValue } from 'react';
import type { JsonObject } from '#client/index.ts';
import type { Remark } from '../../code/code.tsx';
import { useTyped } from '../../form/dirty.ts';
import { parsedMembers } from '../../form/members.ts';
import { Button } from '../../parts/button.tsx';
import { Menu } from '../../parts/menu.tsx';
import { Loaded, Loading, Page } from '../../parts/page.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { client, orNone } from '../../session/client.ts';
import { common } from '../../words/common.ts';
import { useWords } from '../../words/words.ts';
import { Plan, remarksOf } from '../../write/plan.tsx';
import { useReview } from '../../write/review.tsx';
import { usePlan } from '../../write/use-plan.ts';
import { ConfigForm } from './config-form.tsx';
import { ConfigHistory } from './history.tsx';
import { useNames } from './names.ts';
import { type Origin, OriginBadge } from './origin.tsx';
import { addressOf, type ConfigSearch, configRoute } from './routes.ts';
import { words } from './words.ts';

const Code = lazy(() => import('../../code/code.tsx'));

interface Configuration {
  readonly id: string;
  /** Undefined of one that is to be written. */
  readonly revision: string | undefined;
  readonly origin: Origin | undefined;
  readonly content: JsonObject;
  readonly effective: unknown;
}

/** A text is asked about when nobody types any more. */
const SETTLED_MS = 500;
const NO_FORM = { properties: {} };
const NO_REMARKS: readonly Remark[] = [];
const BESIDE = /^_(?:id|rev|origin|effective)$/;

export function ConfigPage() {
  const { _splat: id = '' } = configRoute.useParams();
  const found = useQuery({
    queryKey: ['config', 'one', id, 'page'],
    queryFn: async (): Promise<Configuration> => {
      const said = await orNone(
        client.send<JsonObject & { _origin: Origin }>({
          method: 'GET',
          path: ['config', ...id.split('/')],
          parameters: { _fields: '*,_origin,_effective' },
        }),
      );
      if (said === null) return { id, revision: undefined, origin: undefined, content: {}, effective: {} };
      return {
        id,
        revision: String(said['_rev']),
        origin: said._origin,
        content: Object.fromEntries(Object.entries(said).filter(([name]) => !BESIDE.test(name))),
        effective: said['_effective'],
      };
    },
    retry: false,
  });
  return <Loaded of={found}>{(configuration) => <One key={id} of={configuration} />}</Loaded>;
}

function One({ of: { id, revision, origin, content, effective } }: { readonly of: Configuration }) {
  const t = useWords(words);
  const c = useWords(common);
  const navigate = useNavigate();
  const review = useReview();
  const search: ConfigSearch = configRoute.useSearch();
  const { typed, type, forget } = useTyped(`config ${id}`, NO_FORM, t.leave);
  // What somebody else saves meanwhile is not taken back by a text that was begun before.
  const from = typeof typed['revision'] === 'string' ? typed['revision'] : revision;
  const write = (text: string) => {
    type('text', text);
    if (from !== undefined) type('revision', from);
  };
  const before = JSON.stringify(content, null, 2);
  const text = typeof typed['text'] === 'string' ? typed['text'] : before;
  const sent = parsedMembers(text);
  const isChanged = text !== before || revision === undefined;
  const plan = usePlan(id, useDeferredValue(isChanged ? sent : undefined), SETTLED_MS);
  const names = useNames(id);
  const path = ['config', ...id.split('/')];
  const save = async () => {
    if (!isChanged || sent === undefined) return;
    const done = await review({
      title: t.saveTitle(id),
      done: t.saveDone(id),
      call: {
        method: 'PUT',
        path,
        body: sent,
        ...(from === undefined ? {} : { headers: { 'If-Match': `"${from}"` } }),
      },
      base: content,
      touches: ['config', 'audit'],
    });
    if (done !== undefined) forget();
  };
  const revert = async () => {
    const done = await review({
      title: t.revertTitle(id),
      done: t.revertDone(id),
      call: { method: 'POST', path, parameters: { _action: 'revertToFile' }, body: {} },
      touches: ['config', 'audit'],
    });
    if (done !== undefined) forget();
  };
  const remove = async () => {
    const done = await review({
      title: t.deleteTitle(id),
      done: t.deleteDone(id),
      call: { method: 'DELETE', path },
      typed: id,
      touches: ['config', 'audit'],
    });
    if (done !== undefined) void navigate({ to: '/configuration' });
  };
  const go = (tab: string) => void navigate({ to: addressOf(id), search: { tab }, replace: true });
  return (
    <Page
      title={id}
      says={
        <span className="row">
          <Link to="/configuration">{t.title}</Link>
          {origin === undefined ? null : <OriginBadge of={origin} />}
          <span>{origin?.file ?? (origin?.hides === undefined ? '' : t.inFront(origin.hides))}</span>
        </span>
      }
      actions={
        <div className="row">
          {revision === undefined ? null : (
            <Menu
              isIcon
              label={c.actions}
              choices={[
                ...(origin?.kind === 'override'
                  ? [{ id: 'revert', title: t.revert, icon: 'undo' as const }]
                  : []),
                { id: 'delete', title: c.delete },
              ]}
              onChoose={(act) => void (act === 'revert' ? revert() : remove())}
            />
          )}
          <Button look="primary" isDisabled={!isChanged || sent === undefined} onPress={() => void save()}>
            {t.review}
          </Button>
        </div>
      }
    >
      <Tabs
        label={id}
        at={search.tab ?? 'text'}
        onGo={go}
        tabs={[
          {
            id: 'text',
            title: t.text,
            content: (
              <div className="stack">
                <Suspense fallback={<Loading />}>
                  <Code
                    label={id}
                    language="json"
                    value={text}
                    onChange={(next) => write(next)}
                    remarks={text === JSON.stringify(sent, null, 2) ? remarksOf(plan.data) : NO_REMARKS}
                    known={names.data}
                    onSave={() => void save()}
                    onEnter={() => void save()}
                  />
                </Suspense>
                {sent === undefined ? <p className="problem">{t.notJson}</p> : null}
                {isChanged && sent !== undefined ? <Plan of={plan} /> : null}
              </div>
            ),
          },
          {
            id: 'form',
            title: t.form,
            content: (
              <div className="stack">
                {sent === undefined ? (
                  <p className="problem">{t.notJson}</p>
                ) : (
                  <ConfigForm
                    id={id}
                    content={sent}
                    onChange={(next) => write(JSON.stringify(next, null, 2))}
                  />
                )}
                {isChanged && sent !== undefined ? <Plan of={plan} /> : null}
              </div>
            ),
          },
          {
            id: 'effective',
            title: t.effective,
            content: (
              <Suspense fallback={<Loading />}>
                <Code label={t.effective} language="json" value={JSON.stringify(effective, null, 2)} />
              </Suspense>
            ),
          },
          {
            id: 'history',
            title: t.history,
            content: (
              <ConfigHistory
                id={id}
                onTake={(content) => {
                  write(JSON.stringify(content, null, 2));
                  go('text');
                }}
              />
            ),
          },
        ]}
      />
    </Page>
  );
}
