import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import {
  type Declared,
  type DeclaredType,
  kindOf,
  type Managed,
  propertiesOf,
} from '../../declared/managed.ts';
import { useManaged } from '../../declared/use-managed.ts';
import { Button } from '../../parts/button.tsx';
import { useKeys } from '../../parts/keys.ts';
import { Empty, Loaded, Page } from '../../parts/page.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { common } from '../../words/common.ts';
import { useWords } from '../../words/words.ts';
import { HookList } from './hook-list.tsx';
import { PropertyDialog } from './property-dialog.tsx';
import { RelationshipDialog } from './relationship-dialog.tsx';
import { type TypeSearch, typeRoute } from './routes.ts';
import { words } from './words.ts';

type Row = readonly [string, Declared];

export function TypePage() {
  const t = useWords(words);
  const { type } = typeRoute.useParams();
  const managed = useManaged();
  return (
    <Loaded of={managed}>
      {(found) => {
        const at = found.content.objects.findIndex(({ name }) => name === type);
        const declared = found.content.objects[at];
        return declared === undefined ? (
          <Page title={type}>
            <Empty icon="search" title={t.gone} />
          </Page>
        ) : (
          <One key={type} managed={found} declared={declared} />
        );
      }}
    </Loaded>
  );
}

function One({ managed, declared }: { readonly managed: Managed; readonly declared: DeclaredType }) {
  const t = useWords(words);
  const c = useWords(common);
  const navigate = useNavigate();
  const { tab = 'properties' }: TypeSearch = typeRoute.useSearch();
  const [open, setOpen] = useState<{ readonly property: string | undefined }>();
  const [isRelating, setRelating] = useState(false);
  const { name, schema } = declared;
  const title = schema.title ?? name;
  const required = new Set(schema.required ?? []);
  const flag = (key: string, heading: string, width = '8rem'): Column<Row> => ({
    id: key,
    title: heading,
    cell: ([, property]) => (property[key] === true ? c.yes : ''),
    width,
  });
  const columns: readonly Column<Row>[] = [
    {
      id: 'name',
      title: t.property,
      cell: ([id, property]) => `${property.title ?? id}${required.has(id) ? ' *' : ''}`,
      width: 'minmax(12rem, 1.5fr)',
    },
    { id: 'id', title: t.name, cell: ([id]) => <code>{id}</code>, width: 'minmax(11rem, 1fr)' },
    { id: 'kind', title: t.kind, cell: ([, property]) => kindOf(property), width: 'minmax(10rem, 1fr)' },
    flag('searchable', t.searchable),
    flag('userEditable', t.userEditable),
    flag('isVirtual', t.computed),
    {
      id: 'policies',
      title: t.policies,
      cell: ([, { policies }]) => policyNames(policies),
      width: '18rem',
    },
  ];
  useKeys({ n: () => setOpen({ property: undefined }) });
  return (
    <Page
      title={title}
      says={
        <span className="row">
          <Link to="/types">{t.title}</Link>
          <code>{name}</code>
          <Link to={`/objects/${encodeURIComponent(name)}`}>{t.objects}</Link>
          <Link to="/configuration/of/managed">{t.json}</Link>
        </span>
      }
      actions={
        <div className="row">
          <Button onPress={() => setRelating(true)}>{t.addRelationship}</Button>
          <Button look="primary" icon="plus" onPress={() => setOpen({ property: undefined })}>
            {t.add}
          </Button>
        </div>
      }
    >
      <Tabs
        label={title}
        at={tab}
        onGo={(next) =>
          void navigate({ to: `/types/${encodeURIComponent(name)}`, search: { tab: next }, replace: true })
        }
        tabs={[
          {
            id: 'properties',
            title: t.properties,
            content: (
              <Table
                label={t.properties}
                columns={columns}
                rows={propertiesOf(declared)}
                idOf={([id]) => id}
                onOpen={([id]) => setOpen({ property: id })}
                maxHeight="none"
              />
            ),
          },
          { id: 'hooks', title: t.hooks, content: <HookList managed={managed} declared={declared} /> },
        ]}
      />
      {open === undefined ? null : (
        <PropertyDialog
          managed={managed}
          declared={declared}
          name={open.property}
          onClose={() => setOpen(undefined)}
        />
      )}
      {isRelating ? (
        <RelationshipDialog managed={managed} declared={declared} onClose={() => setRelating(false)} />
      ) : null}
    </Page>
  );
}

function policyNames(policies: Declared[string]): string {
  if (!Array.isArray(policies)) return '';
  return policies
    .map((policy) =>
      typeof policy === 'object' && policy !== null && 'policyId' in policy ? String(policy['policyId']) : '',
    )
    .join(', ');
}
