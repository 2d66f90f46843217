import { useNavigate } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type CSSProperties, type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react';
import { common } from '../words/common.ts';
import { useWords } from '../words/words.ts';
import { Icon } from './icon.tsx';

export interface Column<T> {
  readonly id: string;
  readonly title: string;
  /** As a column of a grid, such as `minmax(8rem, 1fr)`. */
  readonly width?: string;
  readonly cell: (row: T) => ReactNode;
  /** The key that it is sorted by. */
  readonly sort?: string;
}

const ROW_PX = 37;
const VIRTUAL_FROM = 60;

/**
 * Rows that are read across and gone through by keys: j and k or the arrows, Enter opens. Of many only those in sight are
 * drawn. The first column names the row.
 */
export function Table<T>({
  label,
  columns,
  rows,
  idOf,
  linkOf,
  onOpen,
  selected,
  sort,
  onSort,
  isBusy = false,
  maxHeight = '70vh',
  picked,
  onPick,
  onKey,
}: {
  readonly label: string;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  readonly idOf: (row: T) => string;
  /** Where a row leads. */
  readonly linkOf?: (row: T) => string;
  readonly onOpen?: (row: T) => void;
  readonly selected?: string | undefined;
  /** Such as `-sn`. */
  readonly sort?: string | undefined;
  readonly onSort?: (sort: string) => void;
  readonly isBusy?: boolean;
  readonly maxHeight?: string;
  /** Which rows are chosen, for what is done with several; Space chooses, Shift with J or K goes on choosing. */
  readonly picked?: ReadonlySet<string>;
  readonly onPick?: (ids: ReadonlySet<string>) => void;
  /** A key that acts on the row that one is at. @returns whether it did */
  readonly onKey?: (key: string, row: T) => boolean;
}) {
  const t = useWords(common);
  const frame = useRef<HTMLDivElement>(null);
  const navigate = useNavigate();
  const isVirtual = rows.length > VIRTUAL_FROM;
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => frame.current,
    estimateSize: () => ROW_PX,
    overscan: 12,
    enabled: isVirtual,
  });
  const focusRow = (index: number) => {
    if (index < 0 || index >= rows.length) return;
    if (isVirtual) virtual.scrollToIndex(index);
    const focus = () => {
      const row = frame.current?.querySelector<HTMLElement>(`[data-row="${index}"]`);
      row?.focus();
      return row;
    };
    // At once, for the next key is meant for it; one that is out of sight is drawn first.
    if (focus() == null) requestAnimationFrame(focus);
  };
  useEffect(() => {
    const press = ({ key, target, ctrlKey, metaKey, altKey }: globalThis.KeyboardEvent) => {
      if (ctrlKey || metaKey || altKey || (key !== 'j' && key !== 'k')) return;
      if (
        target instanceof HTMLElement &&
        target.closest('input, textarea, select, [role=dialog], [role=row]')
      )
        return;
      focusRow(0);
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  });
  const open = (row: T) => {
    if (onOpen !== undefined) onOpen(row);
    else if (linkOf !== undefined) void navigate({ to: linkOf(row) });
  };
  const pick = (row: T | undefined, is?: boolean) => {
    if (row === undefined || picked === undefined) return;
    const next = new Set(picked);
    if (is ?? !next.has(idOf(row))) next.add(idOf(row));
    else next.delete(idOf(row));
    onPick?.(next);
  };
  const press = (event: KeyboardEvent, index: number, row: T) => {
    if (picked !== undefined && event.target === event.currentTarget) {
      const further = { J: 1, K: -1 }[event.key];
      if (event.key === ' ' || further !== undefined) {
        event.preventDefault();
        if (further === undefined) return pick(row);
        const next = rows[index + further];
        onPick?.(new Set([...picked, idOf(row), ...(next === undefined ? [] : [idOf(next)])]));
        return focusRow(index + further);
      }
    }
    if (event.target === event.currentTarget && onKey?.(event.key, row) === true) {
      event.preventDefault();
      return undefined;
    }
    const step = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      focusRow(index + step);
    } else if (event.key === 'Enter' && event.target === event.currentTarget) {
      event.preventDefault();
      open(row);
    }
  };
  const template: CSSProperties = {
    gridTemplateColumns: [
      ...(picked === undefined ? [] : ['2.5rem']),
      ...columns.map(({ width }) => width ?? 'minmax(8rem, 1fr)'),
    ].join(' '),
  };
  const drawn = isVirtual
    ? virtual.getVirtualItems().map(({ index, start }) => ({ index, start }))
    : rows.map((_, index) => ({ index, start: undefined }));
  return (
    <div className="table-frame" ref={frame} style={{ maxHeight }} aria-busy={isBusy}>
      <div className="table" role="grid" aria-label={label} aria-rowcount={rows.length + 1}>
        <div role="rowgroup">
          <div role="row" className="head" style={template}>
            {picked === undefined ? null : (
              <div role="columnheader">
                <input
                  type="checkbox"
                  aria-label={t.pickAll}
                  checked={rows.length > 0 && rows.every((row) => picked.has(idOf(row)))}
                  onChange={({ target }) => onPick?.(new Set(target.checked ? rows.map(idOf) : []))}
                />
              </div>
            )}
            {columns.map((column) => (
              <Head key={column.id} column={column} sort={sort} onSort={onSort} />
            ))}
          </div>
        </div>
        <div
          role="rowgroup"
          style={isVirtual ? { height: virtual.getTotalSize(), position: 'relative' } : undefined}
        >
          {drawn.map(({ index, start }) => {
            const row = rows[index];
            if (row === undefined) return null;
            const id = idOf(row);
            return (
              <div
                key={id}
                role="row"
                className="body"
                tabIndex={index === 0 ? 0 : -1}
                data-row={index}
                aria-rowindex={index + 2}
                aria-selected={selected === id || picked?.has(id) === true}
                style={start === undefined ? template : { ...template, ...placed(start) }}
                onClick={() => open(row)}
                onKeyDown={(event) => press(event, index, row)}
              >
                {picked === undefined ? null : (
                  // biome-ignore lint/a11y/useKeyWithClickEvents: it only keeps a click on the box from opening the row
                  <div role="gridcell" onClick={(event) => event.stopPropagation()}>
                    <input
                      type="checkbox"
                      tabIndex={-1}
                      aria-label={t.pick(id)}
                      checked={picked.has(id)}
                      onChange={({ target }) => pick(row, target.checked)}
                    />
                  </div>
                )}
                {columns.map(({ id: column, cell }, at) => (
                  <div key={column} role={at === 0 ? 'rowheader' : 'gridcell'}>
                    {cell(row)}
                  </div>
                ))}
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}

function placed(start: number): CSSProperties {
  return { position: 'absolute', insetInline: 0, transform: `translateY(${start}px)`, height: ROW_PX };
}

function Head<T>({
  column: { title, sort: key },
  sort,
  onSort,
}: {
  readonly column: Column<T>;
  readonly sort: string | undefined;
  readonly onSort: ((sort: string) => void) | undefined;
}) {
  if (key === undefined || onSort === undefined) return <div role="columnheader">{title}</div>;
  const isUp = sort === key;
  const isDown = sort === `-${key}`;
  return (
    <div role="columnheader" aria-sort={isUp ? 'ascending' : isDown ? 'descending' : 'none'}>
      <button type="button" className="sort" onClick={() => onSort(isUp ? `-${key}` : key)}>
        {title}
        {isUp ? <Icon name="up" small /> : isDown ? <Icon name="down" small /> : null}
      </button>
    </div>
  );
}
