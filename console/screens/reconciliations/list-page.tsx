import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { filter, type Page as Pages } from '#client/index.ts';
import { usePages } from '../../live/pages.ts';
import { Button } from '../../parts/button.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { TextField } from '../../parts/field.tsx';
import { useKeys } from '../../parts/keys.ts';
import { Card, Empty, Loaded, Page } from '../../parts/page.tsx';
import { PageList } from '../../parts/page-list.tsx';
import { Select } from '../../parts/select.tsx';
import type { Column } from '../../parts/table.tsx';
import { Ago, Took } from '../../parts/time.tsx';
import { client, orNone } from '../../session/client.ts';
import { useWords } from '../../words/words.ts';
import { addressOf, type ListSearch, listRoute } from './routes.ts';
import { isUnderWay, type Run, RunState } from './run.tsx';
import { startPlan } from './start.ts';
import { words } from './words.ts';

const PAGE_SIZE = '50';
const LOOK_MS = 2_000;

export function ListPage() {
  const t = useWords(words);
  const navigate = useNavigate();
  const { mapping }: ListSearch = listRoute.useSearch();
  const list = usePages<Run>({
    key: ['config', 'reconciliations'],
    path: 'recon',
    parameters: {
      _queryFilter: mapping === undefined ? 'true' : filter`mapping eq ${mapping}`.text,
      _sortKeys: '-started',
      _pageSize: PAGE_SIZE,
    },
  });
  useAgain(list.rows?.some(isUnderWay) === true, list.refetch);
  const columns: readonly Column<Run>[] = [
    { id: 'mapping', title: t.mapping, cell: (run) => run.mapping, width: 'minmax(12rem, 1fr)' },
    { id: 'state', title: t.state, cell: (run) => <RunState of={run} />, width: 'minmax(12rem, 1fr)' },
    {
      id: 'found',
      title: t.found,
      cell: ({ entrySummary }) => summaryText(entrySummary, t),
      width: 'minmax(18rem, 2fr)',
    },
    { id: 'started', title: t.started, cell: ({ started }) => <Ago at={started} />, width: '10rem' },
    { id: 'took', title: t.took, cell: ({ duration }) => <Took ms={duration} />, width: '7rem' },
  ];
  const go = (name: string) =>
    void navigate({ to: '/reconciliations', search: name === '' ? {} : { mapping: name }, replace: true });
  return (
    <Page title={t.title} says={t.says}>
      <Begin at={mapping ?? ''} onMapping={go} />
      <PageList
        of={list}
        empty={<Empty icon="reconciliations" title={t.none} />}
        label={t.title}
        columns={columns}
        linkOf={({ _id }) => addressOf(_id)}
      />
    </Page>
  );
}

/** How a reconciliation goes on is no event, so it is looked at again while one does. */
export function useAgain(isRunning: boolean, again: () => unknown): void {
  useQuery({
    queryKey: ['look again'],
    queryFn: async () => {
      await again();
      return Date.now();
    },
    enabled: isRunning,
    refetchInterval: LOOK_MS,
    gcTime: 0,
  });
}

function summaryText(summary: Run['entrySummary'], t: typeof words.en): string {
  const shown = (['planned', 'applied', 'failed', 'changed', 'skipped', 'counted'] as const).filter(
    (state) => summary[state] > 0,
  );
  return shown.map((state) => `${summary[state]} ${t[state]}`).join(', ');
}

interface NamedMapping {
  readonly name: string;
  readonly source: string;
  readonly target: string;
}

/** A plan of all of a mapping, or of some of its sources. */
function Begin({ at, onMapping }: { readonly at: string; readonly onMapping: (name: string) => void }) {
  const t = useWords(words);
  const navigate = useNavigate();
  const [ids, setIds] = useState('');
  const [text, setText] = useState('');
  const mappings = useMappingNames();
  const start = useMutation({
    mutationFn: startPlan,
    onSuccess: (id) => void navigate({ to: addressOf(id) }),
  });
  const begin = () => {
    if (at !== '') start.mutate({ mapping: at, ids: ids.trim(), filter: text.trim() });
  };
  useKeys({ 'mod+enter': begin });
  return (
    <Card title={t.begin}>
      <Loaded of={mappings}>
        {(found) =>
          found.length === 0 ? (
            <p className="soft">
              {t.noMappings} <Link to="/mappings">{t.mapping}</Link>
            </p>
          ) : (
            <div className="stack">
              <p className="soft">{t.beginText}</p>
              <div className="halves">
                <Select
                  label={t.mapping}
                  value={at}
                  choices={[
                    { id: '', title: t.all },
                    ...found.map(({ name, source, target }) => ({
                      id: name,
                      title: `${name}: ${source} → ${target}`,
                    })),
                  ]}
                  onChange={onMapping}
                />
                <TextField label={t.ids} value={ids} onChange={setIds} hint={t.idsHint} autoComplete="off" />
                <TextField
                  label={t.filter}
                  value={text}
                  onChange={setText}
                  hint={t.filterHint}
                  autoComplete="off"
                />
              </div>
              {start.error === null ? null : <ErrorNote error={start.error} />}
              <div>
                <Button look="primary" isDisabled={at === ''} isPending={start.isPending} onPress={begin}>
                  {t.begin}
                </Button>
              </div>
            </div>
          )
        }
      </Loaded>
    </Card>
  );
}

function useMappingNames() {
  return useQuery({
    queryKey: ['config', 'mapping names'],
    queryFn: async (): Promise<readonly NamedMapping[]> => {
      const sync = await orNone(
        client.send<{ readonly mappings?: readonly NamedMapping[] }>({
          method: 'GET',
          path: ['config', 'sync'],
        }),
      );
      const { result } = await client.send<Pages<NamedMapping>>({
        method: 'GET',
        path: ['config'],
        parameters: { _queryFilter: '_id sw "mapping/"', _fields: 'name,source,target' },
      });
      return [...(sync?.mappings ?? []), ...result];
    },
    retry: false,
  });
}
