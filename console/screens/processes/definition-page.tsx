import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { Button } from '../../parts/button.tsx';
import { useKeys } from '../../parts/keys.ts';
import { Menu } from '../../parts/menu.tsx';
import { Loaded, Loading, Page } from '../../parts/page.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { client } from '../../session/client.ts';
import { common } from '../../words/common.ts';
import { useWords } from '../../words/words.ts';
import { useReview } from '../../write/review.tsx';
import { Compare } from './compare.tsx';
import { DefinitionDiagram } from './definition-diagram.tsx';
import { Instances } from './instances.tsx';
import { Letters } from './letters.tsx';
import { DefinitionState } from './list-page.tsx';
import { Migration } from './migration.tsx';
import { addressOf, type Definition, textOfFile, useVersions } from './process.tsx';
import { type DefinitionSearch, definitionRoute } from './routes.ts';
import { words } from './words.ts';

const Code = lazy(() => import('../../code/code.tsx'));

export function DefinitionPage() {
  const { id } = definitionRoute.useParams();
  const definition = useQuery({
    queryKey: ['definition', 'one', id],
    queryFn: () => client.send<Definition>({ method: 'GET', path: ['workflow', 'processdefinition', id] }),
    retry: false,
  });
  return <Loaded of={definition}>{(found) => <One key={id} definition={found} />}</Loaded>;
}

function One({ definition }: { readonly definition: Definition }) {
  const t = useWords(words);
  const c = useWords(common);
  const navigate = useNavigate();
  const review = useReview();
  const { _id, key, version, suspended } = definition;
  const name = definition.name ?? key;
  const path = ['workflow', 'processdefinition', _id];
  const search: DefinitionSearch = definitionRoute.useSearch();
  const versions = useVersions(key);
  const go = (change: DefinitionSearch) =>
    void navigate({ to: addressOf('definition', _id), search: { ...search, ...change }, replace: true });
  const start = () => void navigate({ to: `${addressOf('definition', _id)}/start` });
  const act = (action: 'suspend' | 'activate') =>
    void review({
      title: action === 'suspend' ? t.suspendTitle(name) : t.activateTitle(name),
      done: action === 'suspend' ? t.suspendDone(name) : t.activateDone(name),
      call: { method: 'POST', path, parameters: { _action: action } },
      touches: ['definition', 'instance'],
    });
  const remove = async () => {
    const done = await review({
      title: t.deleteTitle(name, version),
      done: t.deleteDone(name, version),
      call: { method: 'DELETE', path },
      typed: key,
      touches: ['definition'],
    });
    if (done !== undefined) void navigate({ to: '/processes' });
  };
  useKeys({ s: start, v: () => go({ tab: 'migration' }) });
  const others = (versions.data ?? []).filter((each) => each._id !== _id);
  return (
    <Page
      title={name}
      says={
        <span className="row">
          <Link to="/processes">{t.title}</Link>
          <span>{t.versionOf(version)}</span>
          <DefinitionState of={definition} />
        </span>
      }
      actions={
        <div className="row">
          {others.length === 0 ? null : (
            <Menu
              label={t.otherVersions}
              choices={others.map((each) => ({ id: each._id, title: t.versionOf(each.version) }))}
              onChoose={(id) => void navigate({ to: addressOf('definition', id) })}
            />
          )}
          <Menu
            isIcon
            label={c.actions}
            choices={[
              { id: 'change', title: t.change, icon: 'processes' },
              suspended
                ? { id: 'activate', title: t.activate, icon: 'play' }
                : { id: 'suspend', title: t.suspend, icon: 'pause' },
              { id: 'delete', title: c.delete },
            ]}
            onChoose={(id) => {
              if (id === 'change') void navigate({ to: '/processes/model', search: { from: _id } });
              else if (id === 'delete') void remove();
              else if (id === 'suspend' || id === 'activate') act(id);
            }}
          />
          <Button look="primary" icon="play" onPress={start} isDisabled={suspended}>
            {t.start}
          </Button>
        </div>
      }
    >
      <Tabs
        label={name}
        at={search.tab ?? 'diagram'}
        onGo={(tab) => go({ tab })}
        tabs={[
          {
            id: 'diagram',
            title: t.diagram,
            content: <DefinitionDiagram id={_id} search={search} onGo={go} />,
          },
          { id: 'instances', title: t.instances, content: <Instances definition={_id} /> },
          { id: 'letters', title: t.letters, content: <Letters definition={_id} /> },
          {
            id: 'migration',
            title: t.migration,
            content: <Migration definition={definition} others={others} to={search.to} onGo={go} />,
          },
          {
            id: 'compare',
            title: t.compare,
            content: <Compare definition={definition} others={others} to={search.to} onGo={go} />,
          },
          { id: 'xml', title: t.xml, content: <Xml id={_id} label={t.xml} /> },
        ]}
      />
    </Page>
  );
}

/** The file as it was deployed. */
function Xml({ id, label }: { readonly id: string; readonly label: string }) {
  const file = useQuery({
    queryKey: ['definition', 'xml', id],
    queryFn: () =>
      client.send<{ xml: string }>({
        method: 'GET',
        path: ['workflow', 'processdefinition', id],
        parameters: { _fields: 'xml' },
      }),
    retry: false,
  });
  return (
    <Loaded of={file}>
      {({ xml }) => (
        <Suspense fallback={<Loading />}>
          <Code label={label} language="xml" value={textOfFile(xml)} />
        </Suspense>
      )}
    </Loaded>
  );
}
