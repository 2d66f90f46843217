import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { Badge } from '../parts/badge.tsx';
import { Card, Loaded } from '../parts/page.tsx';
import { BASE, client } from '../session/client.ts';
import { plainText } from '../words/plain-text.ts';
import { useWords } from '../words/words.ts';
import { words } from './words.ts';

interface Operation {
  readonly _id: string;
  readonly act?: string;
  readonly format?: string;
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

/** How far an operation is, what failed, and the way to all that it has changed, or to the file that it has written. */
export function OperationNote({
  id,
  name,
  touches = [],
}: {
  readonly id: string;
  /** What a file is called, without its ending. */
  readonly name: string;
  /** Topics of what stood on the page before it was done. */
  readonly touches?: readonly string[];
}) {
  const t = useWords(words);
  const operation = useQuery({
    queryKey: ['operation', 'one', id, name],
    queryFn: () => client.send<Operation>({ method: 'GET', path: ['operation', id] }),
    refetchInterval: ({ state: { data } }) =>
      data === undefined || data.state === 'ACTIVE' || data.state === 'PREPARED' ? LOOK_MS : false,
    retry: false,
  });
  const queries = useQueryClient();
  const state = operation.data?.state;
  const stale = touches.join(' ');
  useEffect(() => {
    if (state === undefined || stale === '') return;
    for (const topic of stale.split(' ')) void queries.invalidateQueries({ queryKey: [topic] });
  }, [queries, state, stale]);
  return (
    <Card title={t.progress}>
      <Loaded of={operation}>
        {({ act, format = '', state: how, progress, errors = [], transactionId }) => {
          const { total, processed, failures } = progress;
          const file = `${name}.${format}`;
          return (
            <div className="stack">
              <p className="row">
                <Badge
                  tone={how === 'COMPLETED' ? (failures > 0 ? 'warn' : 'good') : 'info'}
                  mark={how === 'COMPLETED' ? '✓' : '◍'}
                >
                  {t[how]}
                </Badge>
                <progress value={processed} max={Math.max(total, 1)} aria-label={t.of(processed, total)} />
                <span>{t.of(processed, total)}</span>
                {failures > 0 ? <span>{t.failed(failures)}</span> : null}
                {act === 'export' && how === 'COMPLETED' ? (
                  <a href={addressOf(id, format)} download={file}>
                    {t.file(file)}
                  </a>
                ) : null}
                {transactionId === undefined || act === 'export' ? null : (
                  <Link to={`/audit/${encodeURIComponent(transactionId)}`}>{t.trail}</Link>
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
          );
        }}
      </Loaded>
    </Card>
  );
}

/** Where the browser gets what an export has written. */
function addressOf(id: string, format: string): string {
  const asked = new URLSearchParams({
    _fields: 'file',
    _mimeType: format === 'csv' ? 'text/csv' : 'text/plain',
  });
  return `${BASE.replace(/console\/$/, '')}svc/operation/${encodeURIComponent(id)}?${asked}`;
}

function messageOf(error: Readonly<Record<string, unknown>>): string {
  const { message, count, failures = count } = error;
  return [failures === undefined ? '' : `${String(failures)}×`, plainText(message ?? error)]
    .filter((part) => part !== '')
    .join(' ');
}
