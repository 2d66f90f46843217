import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { usePages } from '../../live/pages.ts';
import { Badge, type Tone } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { Dialog, DialogFoot } from '../../parts/dialog.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Flag } from '../../parts/flag.tsx';
import { Empty } from '../../parts/page.tsx';
import { PageList } from '../../parts/page-list.tsx';
import type { Column } from '../../parts/table.tsx';
import { client } from '../../session/client.ts';
import { ResourceLink } from '../../sync/resource-link.tsx';
import { common } from '../../words/common.ts';
import { useWords } from '../../words/words.ts';
import { addressOf, type RunSearch, runRoute } from './routes.ts';
import type { Entry, EntryState, Run } from './run.tsx';
import { words } from './words.ts';

const PAGE_SIZE = '50';

const LOOKS = {
  listed: ['quiet', '◌'],
  planned: ['info', '○'],
  applied: ['good', '✓'],
  failed: ['bad', '✗'],
  skipped: ['quiet', '⊘'],
  changed: ['warn', '!'],
  counted: ['good', '='],
} as const satisfies Readonly<Record<EntryState, readonly [Tone, string]>>;

/** Every pair that is not as it should be, page by page; each can be left out of what is approved. */
export function Entries({
  run,
  left,
  onLeave,
}: {
  readonly run: Run;
  readonly left: ReadonlySet<string>;
  readonly onLeave: (id: string, isLeft: boolean) => void;
}) {
  const t = useWords(words);
  const navigate = useNavigate();
  const { filter }: RunSearch = runRoute.useSearch();
  const [open, setOpen] = useState<Entry>();
  const { _id, state, entrySummary } = run;
  const list = usePages<Entry>({
    // With every step of the run there are others.
    key: ['reconciliation', _id, 'entries', state, entrySummary],
    path: `recon/${_id}/entry`,
    parameters: { _queryFilter: filter ?? 'true', _pageSize: PAGE_SIZE },
  });
  const columns: readonly Column<Entry>[] = [
    { id: 'source', title: t.source, cell: ({ sourceId }) => sourceId ?? '–', width: 'minmax(10rem, 1fr)' },
    { id: 'target', title: t.target, cell: ({ targetId }) => targetId ?? '–', width: 'minmax(10rem, 1fr)' },
    {
      id: 'situation',
      title: t.situation,
      cell: ({ situation }) => <code>{situation ?? ''}</code>,
      width: '13rem',
    },
    {
      id: 'action',
      title: t.action,
      cell: ({ action, takesAway }) => (
        <>
          <code>{action ?? ''}</code> {takesAway ? t.takesAway : ''}
        </>
      ),
      width: '13rem',
    },
    {
      id: 'state',
      title: t.comesTo,
      cell: (entry) => <State of={entry} isLeft={left.has(entry._id)} />,
      width: '12rem',
    },
    {
      id: 'difference',
      title: t.difference,
      cell: ({ difference, error }) => (error === null ? difference?.join(', ') : messageOf(error)) ?? '',
      width: 'minmax(14rem, 2fr)',
    },
  ];
  return (
    <section className="stack" aria-label={t.pairs}>
      <h2>{t.pairs}</h2>
      <PageList
        of={list}
        filter={{
          label: t.filterPairs,
          hint: t.pairsHint,
          value: filter ?? '',
          onFilter: (text) =>
            void navigate({
              to: addressOf(_id),
              search: text === '' ? {} : { filter: text },
              replace: true,
            }),
        }}
        empty={<Empty icon="check" title={filter === undefined ? t.noPairs : t.noHits} />}
        label={t.pairs}
        columns={columns}
        onOpen={setOpen}
      />
      {open === undefined ? null : (
        <EntryDialog
          run={run}
          entry={open}
          isLeft={left.has(open._id)}
          onLeave={(isLeft) => onLeave(open._id, isLeft)}
          onClose={() => setOpen(undefined)}
        />
      )}
    </section>
  );
}

function State({ of: { state }, isLeft }: { readonly of: Entry; readonly isLeft: boolean }) {
  const t = useWords(words);
  const [tone, mark] = LOOKS[state];
  return isLeft ? (
    <Badge tone="quiet" mark="⊘">
      {t.isLeftOut}
    </Badge>
  ) : (
    <Badge tone={tone} mark={mark}>
      {t[state]}
    </Badge>
  );
}

function EntryDialog({
  run: { mapping, state: of },
  entry,
  isLeft,
  onLeave,
  onClose,
}: {
  readonly run: Run;
  readonly entry: Entry;
  readonly isLeft: boolean;
  readonly onLeave: (isLeft: boolean) => void;
  readonly onClose: () => void;
}) {
  const t = useWords(words);
  const c = useWords(common);
  const { _id, sourceId, targetId, ambiguousTargetIds, situation, action, state, difference, error } = entry;
  const sides = useSides(mapping);
  const link = (side: string | undefined, id: string | null) =>
    id === null ? '–' : side === undefined ? id : <ResourceLink of={`${side}/${id}`} />;
  return (
    <Dialog title={t.pair(_id)} isWide onClose={onClose}>
      <Facts
        of={[
          { title: t.source, value: link(sides.data?.source, sourceId) },
          { title: t.target, value: link(sides.data?.target, targetId) },
          { title: t.situation, value: <code>{situation}</code> },
          { title: t.action, value: <code>{action}</code> },
          { title: t.comesTo, value: t[state] },
          ...(ambiguousTargetIds === null
            ? []
            : [{ title: t.several, value: ambiguousTargetIds.join(', ') }]),
          ...(difference === null ? [] : [{ title: t.difference, value: difference.join(', ') }]),
          ...(error === null ? [] : [{ title: t.message, value: messageOf(error) }]),
        ]}
      />
      {state === 'planned' && of !== 'ACTIVE' ? (
        <Flag label={t.leaveOut} is={isLeft} onChange={onLeave} />
      ) : null}
      <DialogFoot>
        <Button onPress={onClose}>{c.close}</Button>
      </DialogFoot>
    </Dialog>
  );
}

function messageOf({ message, hint }: NonNullable<Entry['error']>): string {
  return [message, hint].filter((part) => part !== undefined).join(': ');
}

/** The collections that the mapping is between. */
function useSides(mapping: string) {
  return useQuery({
    queryKey: ['config', 'sides', mapping],
    queryFn: async () => {
      const { mappings = [] } = await client.send<{
        readonly mappings?: readonly { name: string; source: string; target: string }[];
      }>({ method: 'GET', path: ['config', 'sync'] });
      const among = mappings.find(({ name }) => name === mapping);
      if (among !== undefined) return among;
      const { result } = await client.send<{ result: typeof mappings }>({
        method: 'GET',
        path: ['config'],
        parameters: { _queryFilter: '_id sw "mapping/"', _fields: 'name,source,target' },
      });
      return result.find(({ name }) => name === mapping) ?? { name: mapping, source: '', target: '' };
    },
    retry: false,
  });
}
