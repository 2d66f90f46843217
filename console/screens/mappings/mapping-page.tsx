import { Link, useNavigate } from '@tanstack/react-router';
import { useDeferredValue } from 'react';
import type { JsonObject } from '#client/index.ts';
import { useTyped } from '../../form/dirty.ts';
import { isMembers } from '../../form/members.ts';
import { Button } from '../../parts/button.tsx';
import { useKeys } from '../../parts/keys.ts';
import { Menu } from '../../parts/menu.tsx';
import { Empty, Loaded, Page } from '../../parts/page.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { common } from '../../words/common.ts';
import { useWords } from '../../words/words.ts';
import { Plan } from '../../write/plan.tsx';
import { useReview } from '../../write/review.tsx';
import { usePlan } from '../../write/use-plan.ts';
import { Correlation } from './correlation.tsx';
import { General } from './general.tsx';
import { contentWith, type Declared, operationsOf, useMappings, useRuns } from './mapping.ts';
import { Matrix } from './matrix.tsx';
import { Properties } from './properties.tsx';
import { Queue } from './queue.tsx';
import { addressOf, type MappingSearch, mappingRoute } from './routes.ts';
import { words } from './words.ts';

const NO_FORM = { properties: {} };
/** A change is asked about when nobody types any more. */
const SETTLED_MS = 500;

export function MappingPage() {
  const t = useWords(words);
  const { name } = mappingRoute.useParams();
  const mappings = useMappings();
  return (
    <Loaded of={mappings}>
      {(found) => {
        const declared = found.find(({ mapping }) => mapping.name === name);
        return declared === undefined ? (
          <Page title={name} says={<Link to="/mappings">{t.title}</Link>}>
            <Empty icon="search" title={t.gone} />
          </Page>
        ) : (
          <One key={name} declared={declared} />
        );
      }}
    </Loaded>
  );
}

function One({ declared }: { readonly declared: Declared }) {
  const t = useWords(words);
  const c = useWords(common);
  const navigate = useNavigate();
  const review = useReview();
  const { mapping: now, file, at } = declared;
  const { name, source, target } = now;
  const { tab = 'properties' }: MappingSearch = mappingRoute.useSearch();
  const { typed, type, forget } = useTyped(`mapping ${name}`, NO_FORM, t.leave);
  const { mapping: written, base, revision } = typed;
  // What somebody else saves meanwhile is not taken back by what was begun before.
  const before: JsonObject = isMembers(base) ? base : now;
  const mapping: JsonObject = isMembers(written) ? written : now;
  const operations = operationsOf(before, mapping, at);
  const plan = usePlan(
    file,
    useDeferredValue(operations.length === 0 ? undefined : contentWith(declared, mapping)),
    SETTLED_MS,
  );
  const runs = useRuns();
  const last = runs.data?.result.find((run) => run.mapping === name);
  const change = (next: JsonObject) => {
    type('mapping', next);
    type('base', before);
    type('revision', revision ?? declared.revision);
  };
  const path = ['config', ...file.split('/')];
  const headers = { 'If-Match': `"${String(revision ?? declared.revision)}"` };
  const save = async () => {
    if (operations.length === 0) return;
    const done = await review({
      title: t.saveTitle(name),
      done: t.saveDone(name),
      call: { method: 'PATCH', path, headers, body: operations },
      base: contentWith(declared, before),
      touches: ['config', 'audit'],
    });
    if (done !== undefined) forget();
  };
  const remove = async () => {
    const done = await review({
      title: t.deleteTitle(name),
      done: t.deleteDone(name),
      call:
        at === undefined
          ? { method: 'DELETE', path }
          : { method: 'PATCH', path, headers, body: [{ operation: 'remove', field: `/mappings/${at}` }] },
      typed: name,
      touches: ['config', 'audit'],
    });
    if (done === undefined) return;
    forget();
    void navigate({ to: '/mappings' });
  };
  const go = (next: string) => void navigate({ to: addressOf(name), search: { tab: next }, replace: true });
  useKeys({ 'mod+enter': () => void save() });
  return (
    <Page
      title={name}
      says={
        <span className="row">
          <Link to="/mappings">{t.title}</Link>
          <code>
            {source} → {target}
          </code>
          <Link to={`/configuration/of/${file}`}>{t.json}</Link>
        </span>
      }
      actions={
        <div className="row">
          <Menu
            isIcon
            label={c.actions}
            choices={[{ id: 'delete', title: c.delete }]}
            onChoose={() => void remove()}
          />
          <Button onPress={() => void navigate({ to: '/reconciliations', search: { mapping: name } })}>
            {t.reconcile}
          </Button>
        </div>
      }
    >
      <Tabs
        label={name}
        at={tab}
        onGo={go}
        tabs={[
          {
            id: 'properties',
            title: t.properties,
            content: <Properties mapping={mapping} onChange={change} />,
          },
          {
            id: 'situations',
            title: t.situations,
            content: <Matrix mapping={mapping} onChange={change} counts={last?.situationSummary ?? {}} />,
          },
          {
            id: 'correlation',
            title: t.correlation,
            content: <Correlation mapping={mapping} onChange={change} />,
          },
          { id: 'general', title: t.general, content: <General mapping={mapping} onChange={change} /> },
          { id: 'queue', title: t.queue, content: <Queue name={name} source={source} /> },
        ]}
      />
      {operations.length === 0 ? null : (
        <>
          <Plan of={plan} />
          <div className="bar">
            <Button look="primary" onPress={() => void save()}>
              {t.review(operations.length)}
            </Button>
            <Button onPress={forget}>{t.reset}</Button>
          </div>
        </>
      )}
    </Page>
  );
}
