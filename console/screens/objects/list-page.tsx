import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { JsonObject } from '#client/index.ts';
import { isReference, nameOf, type Property, titleOf } from '../../form/schema.ts';
import { usePages } from '../../live/pages.ts';
import { OperationNote } from '../../operation/operation-note.tsx';
import { MANY, useOperation } from '../../operation/use-operation.ts';
import { words as operationWords } from '../../operation/words.ts';
import { Button } from '../../parts/button.tsx';
import { oneOf } from '../../parts/filters.ts';
import { Menu } from '../../parts/menu.tsx';
import { Empty, Loaded, Page } from '../../parts/page.tsx';
import { PageList } from '../../parts/page-list.tsx';
import type { Column } from '../../parts/table.tsx';
import { useGrants } from '../../session/grants.ts';
import { plainText } from '../../words/plain-text.ts';
import { useLanguage, useWords } from '../../words/words.ts';
import { BulkDialog } from './bulk.tsx';
import { Condition } from './condition.tsx';
import { EditDialog } from './edit-dialog.tsx';
import { Facets } from './facets.tsx';
import styles from './objects.module.css';
import { type ListSearch, listRoute } from './routes.ts';
import { type ManagedType, useType, useTypes } from './types.ts';
import { Views } from './views.tsx';
import { words } from './words.ts';

const PAGE_SIZE = '50';
const FIRST_COLUMNS = 6;

/** All objects of a type that fit a filter. */
export function ListPage() {
  const { type } = listRoute.useParams();
  const known = useType(type);
  return <Loaded of={known}>{(managed) => <List key={type} managed={managed} />}</Loaded>;
}

type Row = JsonObject & { readonly _id: string };

function List({ managed }: { readonly managed: ManagedType }) {
  const t = useWords(words);
  const o = useWords(operationWords);
  const language = useLanguage();
  const navigate = useNavigate();
  const { type, title, may } = managed;
  const search: ListSearch = listRoute.useSearch();
  const shown = search.columns?.split(',') ?? firstColumns(managed);
  const list = usePages<Row>({
    key: [`object:${type}`, 'list'],
    path: `managed/${type}`,
    parameters: {
      _queryFilter: search.filter ?? 'true',
      _sortKeys: search.sort,
      _fields: ['_id', ...shown.map((name) => fieldOf(name, managed.properties[name]))].join(','),
      _pageSize: PAGE_SIZE,
      _totalPagedResultsPolicy: 'ESTIMATE',
    },
  });
  const go = (change: Partial<typeof search>) =>
    void navigate({ to: `/objects/${type}`, search: { ...search, ...change }, replace: true });
  const columns = shown.map((name): Column<Row> => {
    const property = managed.properties[name] ?? {};
    return {
      id: name,
      title: titleOf(name, property),
      cell: (row) => cellText(row[name]),
      ...(property.relationship === undefined ? { sort: name } : {}),
    };
  });
  const [isBulk, setBulk] = useState(false);
  const operation = useOperation();
  const mayMany = useGrants([MANY]).may(MANY);
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set());
  const [edited, setEdited] = useState<Row>();
  const filter = search.filter ?? 'true';
  // What is chosen and fits no more is out of sight, and nothing is done with it.
  const chosen = (list.rows ?? []).flatMap(({ _id }) => (picked.has(_id) ? [_id] : []));
  const which = chosen.length === 0 ? filter : oneOf(chosen);
  const many = { resource: `managed/${type}`, queryFilter: which };
  const removeAll = () =>
    operation.begin(t.bulkDeleteTitle(title, which), { act: 'delete', ...many }, { typed: type });
  // What a spreadsheet would take for a formula is made a text by the server.
  const exportAll = () => {
    const fields = ['_id', ...shown.filter((name) => name !== '_id')];
    return operation.begin(o.exportTitle(title), { act: 'export', ...many, format: 'csv', fields });
  };
  const { first } = list;
  const count = first?.totalPagedResults ?? -1;
  return (
    <Page
      title={title}
      says={
        count < 0 ? null : t.found(new Intl.NumberFormat(language).format(count), first?.estimated === true)
      }
      actions={
        <div className="row">
          <Menu
            label={t.columns}
            icon="columns"
            isMany
            chosen={shown}
            choices={managed.order
              .filter((name) => isListed(managed.properties[name]))
              .map((name) => ({ id: name, title: titleOf(name, managed.properties[name] ?? {}) }))}
            onChoose={(name) => {
              const next = shown.includes(name) ? shown.filter((each) => each !== name) : [...shown, name];
              if (next.length > 0) go({ columns: next.join(',') });
            }}
          />
          <Views
            type={type}
            search={search}
            onGo={(state) => void navigate({ to: `/objects/${type}`, search: state })}
          />
          {mayMany ? (
            <Menu
              label={chosen.length === 0 ? t.bulk : t.bulkChosen(chosen.length)}
              choices={[
                ...(may.includes('patch') ? [{ id: 'change', title: t.bulkChange }] : []),
                ...(may.includes('delete') ? [{ id: 'delete', title: t.bulkDelete }] : []),
                { id: 'export', title: t.bulkExport },
              ]}
              onChoose={(what) => {
                if (what === 'change') setBulk(true);
                else if (what === 'delete') void removeAll();
                else void exportAll();
              }}
            />
          ) : null}
          {may.includes('create') ? (
            <Button look="primary" icon="plus" onPress={() => void navigate({ to: `/objects/${type}/new` })}>
              {t.create(title)}
            </Button>
          ) : null}
        </div>
      }
    >
      <TypeBar at={type} />
      {operation.id === undefined ? null : (
        <OperationNote id={operation.id} name={type} touches={[`object:${type}`]} />
      )}
      {isBulk ? (
        <BulkDialog
          managed={managed}
          filter={which}
          onClose={() => setBulk(false)}
          onBegin={operation.begin}
        />
      ) : null}
      {edited === undefined ? null : (
        <EditDialog managed={managed} row={edited} first={shown} onClose={() => setEdited(undefined)} />
      )}
      <Facets
        managed={managed}
        filter={filter}
        rows={list.rows ?? []}
        by={search.by ?? ''}
        onBy={(by) => go({ by })}
        onFilter={(next) => go({ filter: next })}
      />
      <Condition
        key={type}
        managed={managed}
        text={search.filter ?? ''}
        onFilter={(next) => go({ filter: next })}
      />
      <PageList
        of={list}
        filter={{
          label: t.filter,
          hint: t.filterHint,
          value: search.filter ?? '',
          onFilter: (filter) => go({ filter }),
        }}
        empty={
          <Empty icon="objects" title={search.filter === undefined ? t.noObjects(title) : t.noHits}>
            {search.filter === undefined ? null : (
              <Button onPress={() => go({ filter: '' })}>{t.clear}</Button>
            )}
          </Empty>
        }
        label={title}
        columns={columns}
        linkOf={({ _id }) => `/objects/${type}/${encodeURIComponent(_id)}`}
        sort={search.sort}
        onSort={(sort) => go({ sort })}
        {...(mayMany ? { picked, onPick: setPicked } : {})}
        onKey={(key, row) => {
          if (key !== 'e' || !may.includes('patch')) return false;
          setEdited(row);
          return true;
        }}
      />
    </Page>
  );
}

/** From one type to another. */
function TypeBar({ at }: { readonly at: string }) {
  const t = useWords(words);
  const { data = [] } = useTypes();
  return (
    <nav aria-label={t.title} className={`tab-list ${styles['types']}`}>
      {data.map(({ type, title }) => (
        <Link
          key={type}
          to={`/objects/${type}`}
          className="tab"
          aria-current={type === at ? 'page' : undefined}
        >
          {title}
        </Link>
      ))}
    </nav>
  );
}

function isListed(property: Property | undefined): boolean {
  return property !== undefined && property.private !== true && property.stored === undefined;
}

/** What can be looked for is what people know objects by. */
function firstColumns({ order, properties }: ManagedType): readonly string[] {
  const searchable = order.filter(
    (name) => properties[name]?.searchable === true && isListed(properties[name]),
  );
  const others = order.filter((name) => {
    const { type, relationship, isVirtual } = properties[name] ?? {};
    const isPlain =
      type === 'string' || type === 'boolean' || (Array.isArray(type) && type.includes('string'));
    return (
      isPlain &&
      relationship === undefined &&
      isVirtual !== true &&
      name !== '_id' &&
      isListed(properties[name])
    );
  });
  return [...new Set([...searchable, ...others])].slice(0, FIRST_COLUMNS);
}

function fieldOf(name: string, property: Property | undefined): string {
  return property?.relationship === undefined ? name : `${name}/*`;
}

const MOST_NAMED = 2;

function cellText(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) {
    const named = value.slice(0, MOST_NAMED).map(cellText).join(', ');
    return value.length > MOST_NAMED ? `${named} +${value.length - MOST_NAMED}` : named;
  }
  if (isReference(value)) return nameOf(value);
  return plainText(value);
}
