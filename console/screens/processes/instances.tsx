import { usePages } from '../../live/pages.ts';
import { Empty } from '../../parts/page.tsx';
import { PageList } from '../../parts/page-list.tsx';
import type { Column } from '../../parts/table.tsx';
import { Ago, Took } from '../../parts/time.tsx';
import { useWords } from '../../words/words.ts';
import { addressOf, type Instance, InstanceState } from './process.tsx';
import { words } from './words.ts';

const PAGE_SIZE = '50';

/** Instances of a definition, or of all, the latest first. */
export function Instances({
  definition,
  isHistory = false,
}: {
  readonly definition?: string;
  readonly isHistory?: boolean;
}) {
  const t = useWords(words);
  const list = usePages<Instance>({
    key: ['instance', 'list'],
    path: isHistory ? 'workflow/processinstance/history' : 'workflow/processinstance',
    parameters: {
      _queryId: 'filtered-query',
      processDefinitionId: definition,
      _sortKeys: '-startTime',
      _pageSize: PAGE_SIZE,
    },
  });
  const columns: readonly Column<Instance>[] = [
    {
      id: 'process',
      title: t.process,
      cell: ({ processDefinitionName, processDefinitionId }) => processDefinitionName ?? processDefinitionId,
      width: 'minmax(12rem, 1.2fr)',
    },
    { id: 'state', title: t.state, cell: (row) => <InstanceState of={row} />, width: '9rem' },
    {
      id: 'by',
      title: t.startedBy,
      cell: ({ startUserId }) => startUserId ?? '–',
      width: 'minmax(8rem, 1fr)',
    },
    { id: 'start', title: t.started, cell: ({ startTime }) => <Ago at={startTime} />, width: '10rem' },
    {
      id: 'took',
      title: t.took,
      cell: ({ durationInMillis }) => <Took ms={durationInMillis} />,
      width: '7rem',
    },
    { id: 'about', title: t.about, cell: aboutOf, width: '26rem' },
  ];
  return (
    <PageList
      of={list}
      empty={<Empty icon="processes" title={t.noInstances} />}
      label={t.instances}
      columns={columns}
      linkOf={({ _id }) => addressOf('instance', _id)}
    />
  );
}

/** What tells one instance from another: its key, or the short texts among its variables. */
function aboutOf({ businessKey, processVariables }: Instance): string {
  if (businessKey !== null) return businessKey;
  return Object.entries(processVariables)
    .flatMap(([name, value]) => (typeof value === 'string' && value !== '' ? [`${name}: ${value}`] : []))
    .join(' · ');
}
