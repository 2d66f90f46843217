import { useState } from 'react';
import { type DeclaredType, propertiesOf } from '../../declared/managed.ts';
import { useCounts, useManaged } from '../../declared/use-managed.ts';
import { Button } from '../../parts/button.tsx';
import { Empty, Loaded, Page } from '../../parts/page.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { useLanguage, useWords } from '../../words/words.ts';
import { NewType } from './new-type.tsx';
import { words } from './words.ts';

export function ListPage() {
  const t = useWords(words);
  const language = useLanguage();
  const managed = useManaged();
  const counts = useCounts();
  const [isNew, setNew] = useState(false);
  const number = new Intl.NumberFormat(language);
  const columns: readonly Column<DeclaredType>[] = [
    {
      id: 'name',
      title: t.type,
      cell: ({ name, schema }) => schema.title ?? name,
      width: 'minmax(12rem, 2fr)',
    },
    { id: 'id', title: t.name, cell: ({ name }) => <code>{name}</code>, width: 'minmax(10rem, 1fr)' },
    {
      id: 'objects',
      title: t.objects,
      cell: ({ name }) => (counts.data === undefined ? '–' : number.format(counts.data[name]?.total ?? 0)),
      width: '9rem',
    },
    { id: 'properties', title: t.properties, cell: (row) => propertiesOf(row).length, width: '9rem' },
  ];
  return (
    <Page
      title={t.title}
      says={t.says}
      actions={
        managed.data === undefined ? null : (
          <Button look="primary" icon="plus" onPress={() => setNew(true)}>
            {t.newType}
          </Button>
        )
      }
    >
      <Loaded of={managed}>
        {({ content: { objects } }) =>
          objects.length === 0 ? (
            <Empty icon="types" title={t.none} />
          ) : (
            <Table
              label={t.title}
              columns={columns}
              rows={objects}
              idOf={({ name }) => name}
              linkOf={({ name }) => `/types/${encodeURIComponent(name)}`}
            />
          )
        }
      </Loaded>
      {isNew && managed.data !== undefined ? (
        <NewType managed={managed.data} onClose={() => setNew(false)} />
      ) : null}
    </Page>
  );
}
