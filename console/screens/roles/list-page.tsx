import { Link, useNavigate } from '@tanstack/react-router';
import { usePages } from '../../live/pages.ts';
import { Empty, Page } from '../../parts/page.tsx';
import { PageList } from '../../parts/page-list.tsx';
import type { Column } from '../../parts/table.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { common } from '../../words/common.ts';
import { useWords } from '../../words/words.ts';
import { type ListSearch, listRoute } from './routes.ts';
import { words } from './words.ts';

const PAGE_SIZE = '50';

interface Role {
  readonly _id: string;
  readonly name: string;
  readonly description?: string;
  readonly condition?: string | null;
  readonly requestable?: boolean;
}

interface Assignment {
  readonly _id: string;
  readonly name: string;
  readonly description?: string;
  readonly mapping?: string;
}

export function ListPage() {
  const t = useWords(words);
  const navigate = useNavigate();
  const search: ListSearch = listRoute.useSearch();
  const { tab = 'roles', filter = '' } = search;
  const go = (change: ListSearch) => void navigate({ to: '/roles', search: change, replace: true });
  const onFilter = (text: string) => go({ tab, filter: text });
  return (
    <Page
      title={t.title}
      actions={
        <Link
          className="button primary"
          to={tab === 'roles' ? '/objects/role/new' : '/objects/assignment/new'}
        >
          {tab === 'roles' ? t.newRole : t.newAssignment}
        </Link>
      }
    >
      <Tabs
        label={t.title}
        at={tab}
        onGo={(next) => go({ tab: next })}
        tabs={[
          { id: 'roles', title: t.roles, content: <Roles filter={filter} onFilter={onFilter} /> },
          {
            id: 'assignments',
            title: t.assignments,
            content: <Assignments filter={filter} onFilter={onFilter} />,
          },
        ]}
      />
    </Page>
  );
}

interface ListProps {
  readonly filter: string;
  readonly onFilter: (text: string) => void;
}

function Roles({ filter, onFilter }: ListProps) {
  const t = useWords(words);
  const c = useWords(common);
  const list = usePages<Role>({
    key: ['object:role', 'roles'],
    path: 'managed/role',
    parameters: {
      _queryFilter: filter === '' ? 'true' : filter,
      _fields: 'name,description,condition,requestable',
      _sortKeys: 'name',
      _pageSize: PAGE_SIZE,
    },
  });
  const columns: readonly Column<Role>[] = [
    { id: 'name', title: t.role, cell: ({ name }) => name, width: 'minmax(10rem, 1fr)' },
    {
      id: 'description',
      title: t.description,
      cell: ({ description }) => description,
      width: 'minmax(14rem, 2fr)',
    },
    {
      id: 'condition',
      title: t.condition,
      cell: ({ condition }) => (typeof condition === 'string' ? <code>{condition}</code> : t.byHand),
      width: 'minmax(16rem, 2fr)',
    },
    {
      id: 'requestable',
      title: t.requestable,
      cell: ({ requestable }) => (requestable === true ? c.yes : ''),
      width: '10rem',
    },
  ];
  return (
    <div className="stack">
      <PageList
        of={list}
        filter={{ label: t.filter, hint: t.filterHint, value: filter, onFilter }}
        empty={<Empty icon="roles" title={t.noRoles} />}
        label={t.roles}
        columns={columns}
        linkOf={({ _id }) => `/roles/${encodeURIComponent(_id)}`}
      />
    </div>
  );
}

function Assignments({ filter, onFilter }: ListProps) {
  const t = useWords(words);
  const list = usePages<Assignment>({
    key: ['object:assignment', 'assignments'],
    path: 'managed/assignment',
    parameters: {
      _queryFilter: filter === '' ? 'true' : filter,
      _fields: 'name,description,mapping',
      _sortKeys: 'name',
      _pageSize: PAGE_SIZE,
    },
  });
  const columns: readonly Column<Assignment>[] = [
    { id: 'name', title: t.assignment, cell: ({ name }) => name, width: 'minmax(10rem, 1fr)' },
    {
      id: 'description',
      title: t.description,
      cell: ({ description }) => description,
      width: 'minmax(14rem, 2fr)',
    },
    { id: 'mapping', title: t.mapping, cell: ({ mapping }) => mapping, width: 'minmax(12rem, 1fr)' },
  ];
  return (
    <div className="stack">
      <PageList
        of={list}
        filter={{ label: t.filter, hint: t.assignmentHint, value: filter, onFilter }}
        empty={<Empty icon="roles" title={t.noAssignments} />}
        label={t.assignments}
        columns={columns}
        linkOf={({ _id }) => `/objects/assignment/${encodeURIComponent(_id)}`}
      />
    </div>
  );
}
