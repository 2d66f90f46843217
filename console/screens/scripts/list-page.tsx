import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { usePages } from '../../live/pages.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { Dialog, DialogFoot } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/field.tsx';
import { Empty, Loaded, Page } from '../../parts/page.tsx';
import { PageList } from '../../parts/page-list.tsx';
import type { Column } from '../../parts/table.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { client } from '../../session/client.ts';
import { common } from '../../words/common.ts';
import { useLanguage, useWords } from '../../words/words.ts';
import { Endpoints } from './endpoints.tsx';
import { type Hook, hooksOf, type ManagedConfig } from './hooks.ts';
import { type ListSearch, listRoute } from './routes.ts';
import { words } from './words.ts';

const PAGE_SIZE = '100';

/** A script of the sources, as `/script/file` lists it. */
interface ScriptFile {
  readonly _id: string;
  readonly type: string;
  readonly source: string | null;
  readonly sources: readonly string[];
  readonly bytes: number;
}

export function ListPage() {
  const t = useWords(words);
  const navigate = useNavigate();
  const search: ListSearch = listRoute.useSearch();
  const [isNew, setNew] = useState(false);
  const go = (change: ListSearch) =>
    void navigate({ to: '/scripts', search: { ...search, ...change }, replace: true });
  return (
    <Page
      title={t.title}
      actions={
        <Button look="primary" icon="plus" onPress={() => setNew(true)}>
          {t.create}
        </Button>
      }
    >
      <Tabs
        label={t.title}
        at={search.tab ?? 'files'}
        onGo={(tab) => go({ tab })}
        tabs={[
          {
            id: 'files',
            title: t.files,
            content: <Files filter={search.filter ?? ''} onFilter={(filter) => go({ filter })} />,
          },
          { id: 'hooks', title: t.hooks, content: <Hooks /> },
          { id: 'endpoints', title: t.endpoints, content: <Endpoints /> },
        ]}
      />
      {isNew ? <NewDialog onClose={() => setNew(false)} /> : null}
    </Page>
  );
}

export function addressOf(path: string): string {
  return `/scripts/file/${path.split('/').map(encodeURIComponent).join('/')}`;
}

function Files({ filter, onFilter }: { readonly filter: string; readonly onFilter: (text: string) => void }) {
  const t = useWords(words);
  const language = useLanguage();
  const list = usePages<ScriptFile>({
    key: ['config', 'scripts'],
    path: 'script/file',
    parameters: { _queryFilter: filter === '' ? 'true' : filter, _sortKeys: '_id', _pageSize: PAGE_SIZE },
  });
  const columns: readonly Column<ScriptFile>[] = [
    { id: 'path', title: t.path, cell: ({ _id }) => _id, width: 'minmax(18rem, 2fr)' },
    { id: 'type', title: t.language, cell: ({ type }) => languageName(type), width: '9rem' },
    { id: 'source', title: t.source, cell: ({ source }) => <Source source={source} />, width: '12rem' },
    {
      id: 'hides',
      title: t.hides,
      cell: ({ sources }) => sources.slice(1).join(', '),
      width: 'minmax(9rem, 1fr)',
    },
    {
      id: 'bytes',
      title: t.size,
      cell: ({ bytes }) => new Intl.NumberFormat(language).format(bytes),
      width: '7rem',
    },
  ];
  return (
    <div className="stack">
      <PageList
        of={list}
        filter={{ label: t.filter, hint: t.filterHint, value: filter, onFilter }}
        empty={<Empty icon="scripts" title={t.none} />}
        label={t.files}
        columns={columns}
        linkOf={({ _id }) => addressOf(_id)}
      />
    </div>
  );
}

export function languageName(type: string): string {
  return type === 'groovy' ? 'Groovy' : 'JavaScript';
}

export function Source({ source }: { readonly source: string | null }) {
  const t = useWords(words);
  return source === 'override' ? (
    <Badge tone="info" mark="✎">
      {t.override}
    </Badge>
  ) : (
    <Badge tone="quiet" mark="○">
      {source ?? '–'}
    </Badge>
  );
}

/** Which script runs when, type by type. */
function Hooks() {
  const t = useWords(words);
  const managed = useQuery({
    queryKey: ['config', 'one', 'managed'],
    queryFn: () => client.send<ManagedConfig>({ method: 'GET', path: ['config', 'managed'] }),
    retry: false,
  });
  return (
    <Loaded of={managed}>
      {(found) => {
        const hooks = hooksOf(found);
        if (hooks.length === 0) return <Empty icon="scripts" title={t.noHooks} />;
        return (
          <ul className="lines card card-body">
            {hooks.map((hook) => (
              <li key={`${hook.type} ${hook.field}`}>
                <strong>{hook.type}</strong>
                <span className="grow">
                  {hook.use} {hook.property === undefined ? null : <code>{hook.property}</code>}
                </span>
                <HookLink hook={hook} />
              </li>
            ))}
          </ul>
        );
      }}
    </Loaded>
  );
}

function HookLink({ hook: { file, use, type } }: { readonly hook: Hook }) {
  const t = useWords(words);
  return file === undefined ? (
    <Link to="/configuration/of/managed">{t.inline}</Link>
  ) : (
    <Link to={addressOf(file)} search={{ use, type }}>
      {file}
    </Link>
  );
}

function NewDialog({ onClose }: { readonly onClose: () => void }) {
  const t = useWords(words);
  const c = useWords(common);
  const navigate = useNavigate();
  const [path, setPath] = useState('');
  const isGood = /^[\w-]+(?:\/[\w-]+)*\.(?:js|groovy)$/.test(path);
  return (
    <Dialog title={t.create} onClose={onClose}>
      <TextField
        label={t.path}
        value={path}
        onChange={setPath}
        hint={t.pathHint}
        autoComplete="off"
        autoFocus
      />
      <DialogFoot>
        <Button onPress={onClose}>{c.cancel}</Button>
        <Button look="primary" isDisabled={!isGood} onPress={() => void navigate({ to: addressOf(path) })}>
          {t.write}
        </Button>
      </DialogFoot>
    </Dialog>
  );
}
