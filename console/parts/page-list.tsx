import type { ComponentProps, ReactNode } from 'react';
import type { usePages } from '../live/pages.ts';
import { common } from '../words/common.ts';
import { useWords } from '../words/words.ts';
import { Button } from './button.tsx';
import { ErrorNote } from './error-note.tsx';
import { FilterField, isOfFilter } from './filter-field.tsx';
import { Loading } from './page.tsx';
import { Table } from './table.tsx';

type Pages<T extends object> = ReturnType<typeof usePages<T>>;
type Filter = Pick<ComponentProps<typeof FilterField>, 'label' | 'hint' | 'value' | 'onFilter'>;

/** What fits a filter, page by page; where nothing does, what is said in its place. */
export function PageList<T extends { readonly _id: string }>({
  of: list,
  filter,
  empty,
  ...table
}: {
  readonly of: Pages<T>;
  /** Where the server filters the list by a text. */
  readonly filter?: Filter;
  readonly empty: ReactNode;
} & Pick<
  ComponentProps<typeof Table<T>>,
  'label' | 'columns' | 'linkOf' | 'onOpen' | 'sort' | 'onSort' | 'maxHeight' | 'picked' | 'onPick' | 'onKey'
>) {
  const c = useWords(common);
  const { rows, error } = list;
  return (
    <>
      {filter === undefined ? null : (
        <FilterField {...filter} error={error} warnings={list.first?.warnings ?? []} />
      )}
      {error === null || isOfFilter(error) ? null : <ErrorNote error={error} retry={list.refetch} />}
      {rows === undefined && error === null ? <Loading /> : null}
      {rows?.length === 0 ? empty : null}
      {rows === undefined || rows.length === 0 ? null : (
        <Table {...table} rows={rows} idOf={({ _id }) => _id} isBusy={list.isBusy} />
      )}
      {list.hasMore ? (
        <div>
          <Button onPress={list.more} isPending={list.isMoreComing}>
            {c.more}
          </Button>
        </div>
      ) : null}
    </>
  );
}
