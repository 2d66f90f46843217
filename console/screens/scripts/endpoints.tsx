import { useQuery } from '@tanstack/react-query';
import type { Page } from '#client/index.ts';
import { Empty, Loaded } from '../../parts/page.tsx';
import { Table } from '../../parts/table.tsx';
import { client } from '../../session/client.ts';
import { useWords } from '../../words/words.ts';
import { type Endpoint, nameOf, pathOf, requestsOf } from './endpoint.ts';
import { words } from './words.ts';

export function useEndpoints() {
  return useQuery({
    queryKey: ['config', 'endpoints'],
    queryFn: async () => {
      const { result } = await client.send<Page<Endpoint>>({
        method: 'GET',
        path: ['config'],
        parameters: { _queryFilter: '_id sw "endpoint/"', _fields: '*', _sortKeys: '_id' },
      });
      return result;
    },
    retry: false,
  });
}

/** Scripts that answer at a path of their own. */
export function Endpoints() {
  const t = useWords(words);
  const endpoints = useEndpoints();
  return (
    <Loaded of={endpoints}>
      {(found) =>
        found.length === 0 ? (
          <Empty icon="scripts" title={t.noEndpoints} />
        ) : (
          <Table
            label={t.endpoints}
            columns={[
              { id: 'name', title: t.endpoint, cell: nameOf, width: 'minmax(12rem, 1fr)' },
              {
                id: 'path',
                title: t.path,
                cell: (row) => <code>{pathOf(row)}</code>,
                width: 'minmax(14rem, 1fr)',
              },
              {
                id: 'requests',
                title: t.requests,
                cell: (row) => requestsOf(row).join(', '),
                width: 'minmax(18rem, 1.5fr)',
              },
              {
                id: 'script',
                title: t.script,
                cell: ({ file }) => file ?? t.inline,
                width: 'minmax(14rem, 1fr)',
              },
            ]}
            rows={found}
            idOf={({ _id }) => _id}
            linkOf={(row) => `/scripts/endpoint/${encodeURIComponent(nameOf(row))}`}
          />
        )
      }
    </Loaded>
  );
}
