import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useDeferredValue, useState } from 'react';
import type { Remark } from '../../code/code.tsx';
import { useTyped } from '../../form/dirty.ts';
import { Button } from '../../parts/button.tsx';
import { Menu } from '../../parts/menu.tsx';
import { Card, Loaded, Loading, Page } from '../../parts/page.tsx';
import { client, orNone } from '../../session/client.ts';
import { common } from '../../words/common.ts';
import { useWords } from '../../words/words.ts';
import { useReview } from '../../write/review.tsx';
import { languageName, Source } from './list-page.tsx';
import { Rehearsal } from './rehearsal.tsx';
import { type ScriptSearch, scriptRoute } from './routes.ts';
import { type RunAs, useBindings, useDiagnostics } from './run-as.ts';
import { Usages, useUsages } from './usages.tsx';
import { words } from './words.ts';

const Code = lazy(() => import('../../code/code.tsx'));

interface Script {
  readonly _id: string;
  readonly _rev?: string;
  readonly type: string;
  readonly source: string | null;
  readonly sources: readonly string[];
  readonly content: string;
}

const NO_FORM = { properties: {} };

export function ScriptPage() {
  const { _splat: path = '' } = scriptRoute.useParams();
  const script = useQuery({
    queryKey: ['config', 'script', path],
    queryFn: () =>
      orNone(client.send<Script>({ method: 'GET', path: ['script', 'file', ...path.split('/')] })),
    retry: false,
  });
  return <Loaded of={script}>{(found) => <One key={path} script={found ?? newScript(path)} />}</Loaded>;
}

/** One that is to be written. */
function newScript(path: string): Script {
  const type = path.endsWith('.groovy') ? 'groovy' : 'text/javascript';
  return { _id: path, type, source: null, sources: [], content: '' };
}

function One({ script }: { readonly script: Script }) {
  const t = useWords(words);
  const c = useWords(common);
  const navigate = useNavigate();
  const review = useReview();
  const queries = useQueryClient();
  const search: ScriptSearch = scriptRoute.useSearch();
  const { _splat: asked } = scriptRoute.useParams();
  const { _id, _rev, type, source, content } = script;
  const path = ['script', 'file', ..._id.split('/')];
  const { typed, type: write, forget } = useTyped(`script ${_id}`, NO_FORM, t.leave);
  const text = typeof typed['content'] === 'string' ? typed['content'] : content;
  const usages = useUsages(_id, _rev !== undefined);
  const guessed = usages.data?.runAs[0] ?? { use: 'eval' };
  const runAs: RunAs =
    search.use === undefined
      ? guessed
      : { use: search.use, ...(search.type === undefined ? {} : { type: search.type }) };
  const bindings = useBindings(runAs);
  const diagnostics = useDiagnostics(type, useDeferredValue(text), runAs);
  const [rehearsals, setRehearsals] = useState(0);
  const [failedAt, setFailedAt] = useState<Remark>();
  const remarks = [...(diagnostics.data ?? []), ...(failedAt === undefined ? [] : [failedAt])];
  const isChanged = text !== content || _rev === undefined;
  const save = async () => {
    if (!isChanged) return;
    const done = await review({
      title: t.saveTitle(_id),
      done: t.saveDone(_id),
      call: {
        method: 'PUT',
        path,
        body: { content: text },
        ...(_rev === undefined ? {} : { headers: { 'If-Match': `"${_rev}"` } }),
      },
      base: { content },
      touches: ['config', 'audit'],
    });
    if (done === undefined) return;
    // What was saved is what is there, before anybody has asked for it again.
    queries.setQueryData(['config', 'script', asked], done.answer);
    forget();
  };
  const revert = () =>
    void review({
      title: t.revertTitle(_id),
      done: t.revertDone(_id),
      call: { method: 'POST', path, parameters: { _action: 'revertToFile' }, body: {} },
      touches: ['config', 'audit'],
    });
  const remove = async () => {
    const done = await review({
      title: t.deleteTitle(_id),
      done: t.deleteDone(_id),
      call: { method: 'DELETE', path, headers: { 'If-Match': `"${_rev ?? ''}"` } },
      typed: _id,
      touches: ['config', 'audit'],
    });
    if (done !== undefined) void navigate({ to: '/scripts' });
  };
  return (
    <Page
      title={_id}
      says={
        <span className="row">
          <Link to="/scripts">{t.title}</Link>
          {languageName(type)}
          <Source source={source} />
        </span>
      }
      actions={
        <div className="row">
          {_rev === undefined ? null : (
            <Menu
              isIcon
              label={c.actions}
              choices={[
                ...(source === 'override' ? [{ id: 'revert', title: t.revert, icon: 'undo' as const }] : []),
                { id: 'delete', title: c.delete },
              ]}
              onChoose={(id) => (id === 'revert' ? revert() : void remove())}
            />
          )}
          <Button onPress={() => setRehearsals(rehearsals + 1)} icon="play">
            {t.rehearse}
          </Button>
          <Button look="primary" isDisabled={!isChanged} onPress={() => void save()}>
            {t.review}
          </Button>
        </div>
      }
    >
      {_rev === undefined ? <p className="soft">{t.isNew}</p> : null}
      <Suspense fallback={<Loading />}>
        <Code
          label={_id}
          language={type === 'groovy' ? 'groovy' : 'javascript'}
          value={text}
          onChange={(next) => {
            setFailedAt(undefined);
            write('content', next);
          }}
          remarks={remarks}
          known={bindings.data?.globals}
          onEnter={() => setRehearsals(rehearsals + 1)}
          onSave={() => void save()}
        />
      </Suspense>
      <Remarks of={remarks} isKnown={diagnostics.data !== undefined} />
      <Rehearsal
        type={type}
        source={text}
        runAs={runAs}
        search={search}
        bindings={bindings.data}
        count={rehearsals}
        onFailedAt={setFailedAt}
      />
      {_rev === undefined ? null : (
        <Card title={t.usages}>
          <Usages of={usages} />
        </Card>
      )}
    </Page>
  );
}

/** What the editor marks, for everybody: with its line. */
function Remarks({ of, isKnown }: { readonly of: readonly Remark[]; readonly isKnown: boolean }) {
  const t = useWords(words);
  if (of.length === 0) return <p className="soft">{isKnown ? t.compiles : ''}</p>;
  return (
    <ul aria-label={t.remarks} className="lines">
      {of.map(({ line, column, severity, message, hint }) => (
        <li key={`${line}:${column} ${message}`} className={severity === 'error' ? 'problem' : undefined}>
          <code>{`${line}:${column}`}</code>
          <span>{message}</span>
          <span className="soft">{hint}</span>
        </li>
      ))}
    </ul>
  );
}
