import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { usePages } from '../../live/pages.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog, DialogFoot } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/field.tsx';
import { Card, Empty, Loaded, Page } from '../../parts/page.tsx';
import { PageList } from '../../parts/page-list.tsx';
import type { Column } from '../../parts/table.tsx';
import { Ago } from '../../parts/time.tsx';
import { client } from '../../session/client.ts';
import { common } from '../../words/common.ts';
import { useWords } from '../../words/words.ts';
import { Findings } from '../../write/findings.tsx';
import type { Finding } from '../../write/use-plan.ts';
import { type Origin, OriginBadge } from './origin.tsx';
import { addressOf, type ListSearch, listRoute } from './routes.ts';
import { words } from './words.ts';

const PAGE_SIZE = '200';

interface Row {
  readonly _id: string;
  readonly _origin: Origin;
}

export function ListPage() {
  const t = useWords(words);
  const navigate = useNavigate();
  const { filter }: ListSearch = listRoute.useSearch();
  const [isNew, setNew] = useState(false);
  const list = usePages<Row>({
    key: ['config', 'list'],
    path: 'config',
    parameters: {
      _queryFilter: filter ?? 'true',
      _fields: '_id,_origin',
      _sortKeys: '_id',
      _pageSize: PAGE_SIZE,
    },
  });
  const columns: readonly Column<Row>[] = [
    { id: 'id', title: t.name, cell: ({ _id }) => _id, width: 'minmax(16rem, 2fr)' },
    { id: 'origin', title: t.origin, cell: ({ _origin }) => <OriginBadge of={_origin} />, width: '11rem' },
    {
      id: 'file',
      title: t.place,
      cell: ({ _origin: { file, hides } }) => file ?? hides ?? '',
      width: 'minmax(14rem, 2fr)',
    },
    {
      id: 'by',
      title: t.changed,
      cell: ({ _origin: { changedBy, changedAt } }) =>
        changedBy === undefined ? null : (
          <>
            {changedBy} <Ago at={changedAt} />
          </>
        ),
      width: 'minmax(12rem, 1fr)',
    },
  ];
  return (
    <Page
      title={t.title}
      says={t.says}
      actions={
        <Button look="primary" icon="plus" onPress={() => setNew(true)}>
          {t.create}
        </Button>
      }
    >
      <Refused />
      <PageList
        of={list}
        filter={{
          label: t.filter,
          hint: t.filterHint,
          value: filter ?? '',
          onFilter: (text) =>
            void navigate({
              to: '/configuration',
              search: text === '' ? {} : { filter: text },
              replace: true,
            }),
        }}
        empty={<Empty icon="configuration" title={t.none} />}
        label={t.title}
        columns={columns}
        linkOf={({ _id }) => addressOf(_id)}
      />
      {isNew ? <NewDialog onClose={() => setNew(false)} /> : null}
    </Page>
  );
}

/** Files that are wrong, so that what was before them is in force. */
function Refused() {
  const t = useWords(words);
  const refused = useQuery({
    queryKey: ['config', 'refused'],
    queryFn: () =>
      client.send<{ refused: readonly { _id: string; since: string; findings: readonly Finding[] }[] }>({
        method: 'GET',
        path: ['config', '_refused'],
      }),
    retry: false,
  });
  return (
    <Loaded of={refused}>
      {({ refused: files }) =>
        files.length === 0 ? null : (
          <Card title={t.refused}>
            {files.map(({ _id, since, findings }) => (
              <section key={_id} aria-label={_id}>
                <p>
                  <strong>{_id}</strong>{' '}
                  <span className="soft">
                    <Ago at={since} />
                  </span>
                </p>
                <Findings of={findings} tone="bad" />
              </section>
            ))}
          </Card>
        )
      }
    </Loaded>
  );
}

function NewDialog({ onClose }: { readonly onClose: () => void }) {
  const t = useWords(words);
  const c = useWords(common);
  const navigate = useNavigate();
  const [id, setId] = useState('');
  return (
    <Dialog title={t.create} onClose={onClose}>
      <TextField label={t.name} value={id} onChange={setId} hint={t.newHint} autoComplete="off" autoFocus />
      <DialogFoot>
        <Button onPress={onClose}>{c.cancel}</Button>
        <Button
          look="primary"
          isDisabled={!/^[\w-]+(?:\/[\w.-]+)*$/.test(id)}
          onPress={() => void navigate({ to: addressOf(id) })}
        >
          {t.write}
        </Button>
      </DialogFoot>
    </Dialog>
  );
}
