import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { Button } from '../../parts/button.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { useKeys } from '../../parts/keys.ts';
import { Menu } from '../../parts/menu.tsx';
import { Empty, Loaded, Page } from '../../parts/page.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { common } from '../../words/common.ts';
import { useWords } from '../../words/words.ts';
import { useReview } from '../../write/review.tsx';
import { Connection } from './connection.tsx';
import { Objects } from './objects.tsx';
import { addressOf, type SystemSearch, systemRoute } from './routes.ts';
import { SchemaTab } from './schema-tab.tsx';
import { Outcome, SystemState, Trouble } from './state.tsx';
import {
  type System,
  type SystemConfig,
  shortName,
  testSystem,
  typesIn,
  useSystemConfig,
  useSystems,
} from './system.ts';
import { words } from './words.ts';

export function SystemPage() {
  const t = useWords(words);
  const { name } = systemRoute.useParams();
  const systems = useSystems();
  return (
    <Loaded of={systems}>
      {({ result }) => {
        const system = result.find(({ _id }) => _id === name);
        return system === undefined ? (
          <Page title={name} says={<Link to="/systems">{t.title}</Link>}>
            <Empty icon="search" title={t.gone} />
          </Page>
        ) : (
          <WithFile key={name} system={system} />
        );
      }}
    </Loaded>
  );
}

function WithFile({ system }: { readonly system: System }) {
  const config = useSystemConfig(system);
  return <Loaded of={config}>{(found) => <One system={system} config={found} />}</Loaded>;
}

function One({ system, config }: { readonly system: System; readonly config: SystemConfig }) {
  const t = useWords(words);
  const c = useWords(common);
  const { _id, enabled, availability, connectorRef, config: file } = system;
  const navigate = useNavigate();
  const review = useReview();
  const queries = useQueryClient();
  const search: SystemSearch = systemRoute.useSearch();
  const test = useMutation({
    mutationFn: () => testSystem(_id),
    onSettled: () => queries.invalidateQueries({ queryKey: ['config', 'system'] }),
  });
  const path = file.split('/');
  const types = typesIn(config.content['objectTypes']);
  const toggle = () =>
    void review({
      title: enabled ? t.disableTitle(_id) : t.enableTitle(_id),
      done: enabled ? t.disableDone(_id) : t.enableDone(_id),
      call: {
        method: 'PATCH',
        path,
        headers: { 'If-Match': `"${config.revision}"` },
        body: [{ operation: 'replace', field: '/enabled', value: !enabled }],
      },
      base: config.content,
      touches: ['config', 'audit'],
    });
  const remove = async () => {
    const done = await review({
      title: t.deleteTitle(_id),
      done: t.deleteDone(_id),
      call: { method: 'DELETE', path },
      typed: _id,
      touches: ['config', 'audit'],
    });
    if (done !== undefined) void navigate({ to: '/systems' });
  };
  const go = (change: SystemSearch) =>
    void navigate({ to: addressOf(_id), search: { ...search, ...change }, replace: true });
  useKeys({ x: () => test.mutate() });
  return (
    <Page
      title={_id}
      says={
        <span className="row">
          <Link to="/systems">{t.title}</Link>
          <SystemState of={availability} />
          <span>{shortName(connectorRef)}</span>
          <Link to={`/configuration/of/${path.slice(1).join('/')}`}>{t.file}</Link>
        </span>
      }
      actions={
        <div className="row">
          <Menu
            isIcon
            label={c.actions}
            choices={[
              { id: 'toggle', title: enabled ? t.disable : t.enable },
              { id: 'delete', title: c.delete },
            ]}
            onChoose={(act) => (act === 'toggle' ? toggle() : void remove())}
          />
          <Button look="primary" onPress={() => test.mutate()} isPending={test.isPending}>
            {t.test}
          </Button>
        </div>
      }
    >
      {test.error === null ? null : <ErrorNote error={test.error} />}
      {test.data === undefined ? null : <Outcome of={test.data} />}
      <Trouble of={availability} />
      <Tabs
        label={_id}
        at={search.tab ?? 'objects'}
        onGo={(tab) => go({ tab })}
        tabs={[
          {
            id: 'objects',
            title: t.objects,
            content: <Objects system={system} types={types} search={search} onGo={go} />,
          },
          { id: 'schema', title: t.schema, content: <SchemaTab name={_id} types={types} /> },
          {
            id: 'connection',
            title: t.connection,
            content: <Connection system={system} config={config} />,
          },
        ]}
      />
    </Page>
  );
}
