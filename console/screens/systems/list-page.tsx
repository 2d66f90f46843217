import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Button } from '../../parts/button.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { Empty, Loaded, Page } from '../../parts/page.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { client } from '../../session/client.ts';
import { useWords } from '../../words/words.ts';
import { addressOf } from './routes.ts';
import { Outcome, SystemState } from './state.tsx';
import { type System, shortName, type Tested, useSystems } from './system.ts';
import { words } from './words.ts';

export function ListPage() {
  const t = useWords(words);
  const navigate = useNavigate();
  const queries = useQueryClient();
  const systems = useSystems();
  const test = useMutation({
    mutationFn: () =>
      client.send<readonly Tested[]>({
        method: 'POST',
        path: ['system'],
        parameters: { _action: 'test' },
        body: {},
      }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['config', 'system'] }),
  });
  const columns: readonly Column<System>[] = [
    { id: 'name', title: t.system, cell: ({ _id }) => _id, width: 'minmax(10rem, 1fr)' },
    {
      id: 'state',
      title: t.state,
      cell: ({ availability }) => <SystemState of={availability} />,
      width: '12rem',
    },
    {
      id: 'why',
      title: t.why,
      cell: ({ availability }) => availability.why ?? '',
      width: 'minmax(12rem, 2fr)',
    },
    {
      id: 'connector',
      title: t.connector,
      cell: ({ connectorRef }) => shortName(connectorRef),
      width: '14rem',
    },
    {
      id: 'types',
      title: t.types,
      cell: ({ objectTypes }) => objectTypes.join(', '),
      width: 'minmax(8rem, 1fr)',
    },
  ];
  return (
    <Page
      title={t.title}
      says={t.says}
      actions={
        <div className="row">
          <Button onPress={() => test.mutate()} isPending={test.isPending}>
            {t.testAll}
          </Button>
          <Button look="primary" icon="plus" onPress={() => void navigate({ to: '/systems/_new' })}>
            {t.connect}
          </Button>
        </div>
      }
    >
      {test.error === null ? null : <ErrorNote error={test.error} />}
      {test.data?.map((tested) => (
        <Outcome key={tested.name} of={tested} />
      ))}
      <Loaded of={systems}>
        {({ result }) =>
          result.length === 0 ? (
            <Empty icon="systems" title={t.none} />
          ) : (
            <Table
              label={t.title}
              columns={columns}
              rows={result}
              idOf={({ _id }) => _id}
              linkOf={({ _id }) => addressOf(_id)}
            />
          )
        }
      </Loaded>
    </Page>
  );
}
