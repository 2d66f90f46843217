import { useNavigate } from '@tanstack/react-router';
import { FileTrigger } from 'react-aria-components';
import { usePages } from '../../live/pages.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { Empty, Page } from '../../parts/page.tsx';
import { PageList } from '../../parts/page-list.tsx';
import { Select } from '../../parts/select.tsx';
import type { Column } from '../../parts/table.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { useWords } from '../../words/words.ts';
import { useReview } from '../../write/review.tsx';
import { Instances } from './instances.tsx';
import { Letters } from './letters.tsx';
import { addressOf, type Definition } from './process.tsx';
import { type ListSearch, listRoute } from './routes.ts';
import { words } from './words.ts';

const PAGE_SIZE = '100';
const ALL = 'all';

export function ListPage() {
  const t = useWords(words);
  const navigate = useNavigate();
  const search: ListSearch = listRoute.useSearch();
  const go = (change: ListSearch) =>
    void navigate({ to: '/processes', search: { ...search, ...change }, replace: true });
  return (
    <Page
      title={t.title}
      actions={
        <div className="row">
          <Button icon="processes" onPress={() => void navigate({ to: '/processes/model' })}>
            {t.draw}
          </Button>
          <Deploy />
        </div>
      }
    >
      <Tabs
        label={t.title}
        at={search.tab ?? 'definitions'}
        onGo={(tab) => go({ tab })}
        tabs={[
          { id: 'definitions', title: t.definitions, content: <Definitions /> },
          {
            id: 'instances',
            title: t.instances,
            content: (
              <div className="stack">
                <div className="narrow">
                  <Select
                    label={t.which}
                    value={search.ended ?? ''}
                    choices={[
                      { id: '', title: t.onlyRunning },
                      { id: ALL, title: t.alsoEnded },
                    ]}
                    onChange={(ended) => go({ ended })}
                  />
                </div>
                <Instances isHistory={search.ended === ALL} />
              </div>
            ),
          },
          { id: 'letters', title: t.letters, content: <Letters /> },
        ]}
      />
    </Page>
  );
}

function Definitions() {
  const t = useWords(words);
  const list = usePages<Definition>({
    key: ['definition', 'list'],
    path: 'workflow/processdefinition',
    parameters: { _queryId: 'query-all-ids', _pageSize: PAGE_SIZE },
  });
  const columns: readonly Column<Definition>[] = [
    { id: 'name', title: t.name, cell: ({ name, key }) => name ?? key, width: 'minmax(12rem, 1.5fr)' },
    { id: 'version', title: t.version, cell: ({ version }) => version, width: '7rem' },
    { id: 'key', title: t.key, cell: ({ key }) => <code>{key}</code>, width: 'minmax(10rem, 1fr)' },
    { id: 'state', title: t.state, cell: (row) => <DefinitionState of={row} />, width: '10rem' },
    { id: 'file', title: t.file, cell: ({ resourceName }) => resourceName, width: 'minmax(12rem, 1.5fr)' },
  ];
  return (
    <PageList
      of={list}
      empty={
        <Empty icon="processes" title={t.none}>
          <p>{t.noneText}</p>
        </Empty>
      }
      label={t.definitions}
      columns={columns}
      linkOf={({ _id }) => addressOf('definition', _id)}
    />
  );
}

export function DefinitionState({ of: { suspended } }: { readonly of: Definition }) {
  const t = useWords(words);
  return suspended ? (
    <Badge tone="warn" mark="‖">
      {t.suspended}
    </Badge>
  ) : (
    <Badge tone="good" mark="●">
      {t.startable}
    </Badge>
  );
}

/** A file is rehearsed: what is wrong with it is told element by element, and what is new in it. */
function Deploy() {
  const t = useWords(words);
  const review = useReview();
  const deploy = async (files: FileList | null) => {
    const file = files?.[0];
    if (file === undefined) return;
    const isArchive = /\.(?:bar|zip)$/i.test(file.name);
    const content = isArchive ? base64Of(await file.bytes()) : await file.text();
    await review({
      title: t.deployTitle(file.name),
      done: t.deployDone(file.name),
      call: {
        method: 'POST',
        path: ['workflow', 'deployment'],
        parameters: { _action: 'deploy' },
        body: { name: file.name, content, ...(isArchive ? { encoding: 'base64' } : {}) },
      },
      touches: ['definition'],
    });
  };
  return (
    <FileTrigger acceptedFileTypes={['.xml', '.bpmn', '.bar']} onSelect={(files) => void deploy(files)}>
      <Button icon="plus">{t.deploy}</Button>
    </FileTrigger>
  );
}

function base64Of(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}
