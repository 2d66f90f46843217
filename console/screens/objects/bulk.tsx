import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import type { JsonObject } from '#client/index.ts';
import { Control } from '../../form/control.tsx';
import { kindOf, titleOf } from '../../form/schema.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { Dialog, DialogFoot } from '../../parts/dialog.tsx';
import { Card, Loaded } from '../../parts/page.tsx';
import { Select } from '../../parts/select.tsx';
import { BASE, client } from '../../session/client.ts';
import { common } from '../../words/common.ts';
import { plainText } from '../../words/plain-text.ts';
import { useWords } from '../../words/words.ts';
import { useReview } from '../../write/review.tsx';
import type { Write } from '../../write/write.ts';
import type { ManagedType } from './types.ts';
import { words } from './words.ts';

/** Many at once are given the same value; the server freezes which ones when it begins. */
export function BulkDialog({
  managed,
  filter,
  onClose,
  onBegun,
}: {
  readonly managed: ManagedType;
  readonly filter: string;
  readonly onClose: () => void;
  readonly onBegun: (operation: string) => void;
}) {
  const t = useWords(words);
  const c = useWords(common);
  const begin = useBegin(onBegun);
  const { type, order, properties } = managed;
  const settable = order.filter((each) => {
    const { isVirtual, private: isPrivate, stored, relationship } = properties[each] ?? {};
    const isPlain = isVirtual !== true && isPrivate !== true && stored === undefined;
    return isPlain && relationship === undefined && !each.startsWith('_');
  });
  const [name, setName] = useState(settable[0] ?? '');
  const [value, setValue] = useState<unknown>(null);
  const property = properties[name] ?? {};
  const label = titleOf(name, property);
  const change = () => {
    onClose();
    const field = `/${name}`;
    const operation =
      value === null ? { operation: 'remove', field } : { operation: 'replace', field, value };
    void begin({
      title: t.bulkTitle(label, managed.title),
      call: {
        method: 'POST',
        path: ['operation'],
        body: { act: 'patch', resource: `managed/${type}`, queryFilter: filter, content: [operation] },
      },
    });
  };
  return (
    <Dialog title={t.bulkChange} onClose={onClose}>
      <p className="soft">
        {t.bulkWhich} <code>{filter}</code>
      </p>
      <Select
        label={t.bulkProperty}
        value={name}
        choices={settable.map((each) => ({ id: each, title: titleOf(each, properties[each] ?? {}) }))}
        onChange={(next) => {
          setName(next);
          setValue(null);
        }}
      />
      <Control
        key={name}
        name={name}
        label={t.bulkValue}
        kind={kindOf(property)}
        property={{ ...property, required: false }}
        value={value}
        onChange={setValue}
        isReadOnly={false}
        hint={t.bulkEmpty}
        problem={undefined}
      />
      <DialogFoot>
        <Button onPress={onClose}>{c.cancel}</Button>
        <Button look="primary" isDisabled={name === ''} onPress={change}>
          {t.bulkReview}
        </Button>
      </DialogFoot>
    </Dialog>
  );
}

/** Tries it on the first objects, and has it done when that is wanted. */
function useBegin(onBegun: (operation: string) => void) {
  const t = useWords(words);
  const review = useReview();
  return async (write: Pick<Write, 'title' | 'call' | 'typed'>) => {
    const done = await review({ ...write, done: t.bulkDone, touches: ['operation', 'audit'] });
    const { _id }: JsonObject = { ...Object(done?.answer) };
    if (typeof _id === 'string') onBegun(_id);
  };
}

/** Has all that fit a filter deleted. */
export function useBulkDelete({ type, title }: ManagedType, onBegun: (operation: string) => void) {
  const t = useWords(words);
  const begin = useBegin(onBegun);
  return (filter: string) =>
    begin({
      title: t.bulkDeleteTitle(title, filter),
      typed: type,
      call: {
        method: 'POST',
        path: ['operation'],
        body: { act: 'delete', resource: `managed/${type}`, queryFilter: filter },
      },
    });
}

/** Has all that fit a filter written into a file, for spreadsheets: what one would take for a formula is made a text by the server. */
export function useExport({ type, title }: ManagedType, onBegun: (operation: string) => void) {
  const t = useWords(words);
  const begin = useBegin(onBegun);
  return (filter: string, fields: readonly string[]) =>
    begin({
      title: t.bulkExportTitle(title),
      call: {
        method: 'POST',
        path: ['operation'],
        body: { act: 'export', resource: `managed/${type}`, queryFilter: filter, format: 'csv', fields },
      },
    });
}

interface Operation {
  readonly _id: string;
  readonly act?: string;
  readonly state: 'PREPARED' | 'ACTIVE' | 'COMPLETED' | 'CANCELLED' | 'ERROR';
  readonly progress: {
    readonly total: number;
    readonly processed: number;
    readonly successes: number;
    readonly failures: number;
  };
  readonly errors?: readonly Readonly<Record<string, unknown>>[];
  readonly transactionId?: string;
}

const LOOK_MS = 1_000;

/** How far an operation is, what failed, and the way to all that it has changed. */
export function OperationNote({ id, type }: { readonly id: string; readonly type: string }) {
  const t = useWords(words);
  const operation = useQuery({
    queryKey: ['operation', 'one', id, type],
    queryFn: () => client.send<Operation>({ method: 'GET', path: ['operation', id] }),
    refetchInterval: ({ state: { data } }) =>
      data === undefined || data.state === 'ACTIVE' || data.state === 'PREPARED' ? LOOK_MS : false,
    retry: false,
  });
  const queries = useQueryClient();
  const state = operation.data?.state;
  // The list stood there before it was done.
  useEffect(() => {
    if (state !== undefined) void queries.invalidateQueries({ queryKey: [`object:${type}`] });
  }, [queries, state, type]);
  return (
    <Card title={t.bulkProgress}>
      <Loaded of={operation}>
        {({ act, state: how, progress: { total, processed, failures }, errors = [], transactionId }) => (
          <div className="stack">
            <p className="row">
              <Badge
                tone={how === 'COMPLETED' ? (failures > 0 ? 'warn' : 'good') : 'info'}
                mark={how === 'COMPLETED' ? '✓' : '◍'}
              >
                {t[how]}
              </Badge>
              <progress value={processed} max={Math.max(total, 1)} aria-label={t.bulkOf(processed, total)} />
              <span>{t.bulkOf(processed, total)}</span>
              {failures > 0 ? <span>{t.bulkFailed(failures)}</span> : null}
              {act === 'export' && how === 'COMPLETED' ? (
                <a href={fileOf(id)} download={`${type}.csv`}>
                  {t.bulkFile(`${type}.csv`)}
                </a>
              ) : null}
              {transactionId === undefined || act === 'export' ? null : (
                <Link to={`/audit/${encodeURIComponent(transactionId)}`}>{t.bulkTrail}</Link>
              )}
            </p>
            {errors.length === 0 ? null : (
              <ul className="lines">
                {errors.map((error) => (
                  <li key={JSON.stringify(error)}>{messageOf(error)}</li>
                ))}
              </ul>
            )}
          </div>
        )}
      </Loaded>
    </Card>
  );
}

/** Where the browser gets what an export has written. */
function fileOf(id: string): string {
  return `${BASE.replace(/console\/$/, '')}svc/operation/${encodeURIComponent(id)}?_fields=file&_mimeType=text/csv`;
}

function messageOf(error: Readonly<Record<string, unknown>>): string {
  const { message, count, failures = count } = error;
  return [failures === undefined ? '' : `${String(failures)}×`, plainText(message ?? error)]
    .filter((part) => part !== '')
    .join(' ');
}
