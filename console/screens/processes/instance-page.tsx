import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Stored } from '#client/index.ts';
import { Diagram } from '../../diagram/diagram.tsx';
import { useKeys } from '../../parts/keys.ts';
import { Menu } from '../../parts/menu.tsx';
import { Card, Loaded, Page } from '../../parts/page.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { Ago, Moment } from '../../parts/time.tsx';
import { client } from '../../session/client.ts';
import { common } from '../../words/common.ts';
import { useLanguage, useWords } from '../../words/words.ts';
import { PageKeys } from '../../write/page-keys.tsx';
import { useReview } from '../../write/review.tsx';
import { Activities, standingAt, stepsOf } from './activities.tsx';
import { Letters } from './letters.tsx';
import type { Act, OneInstance } from './one-instance.ts';
import { addressOf, InstanceState, useVersions } from './process.tsx';
import { type InstanceSearch, instanceRoute } from './routes.ts';
import { Variables } from './variables.tsx';
import { Waits } from './waits.tsx';
import { WhyThere } from './why-there.tsx';
import { words } from './words.ts';

export function InstancePage() {
  const { id } = instanceRoute.useParams();
  const instance = useQuery({
    queryKey: ['instance', 'one', id],
    queryFn: () =>
      client.send<Stored<OneInstance>>({
        method: 'GET',
        path: ['workflow', 'processinstance', 'history', id],
        parameters: { _fields: '*,diagramSvg,waitsFor,activities,events' },
      }),
    retry: false,
  });
  return <Loaded of={instance}>{(found) => <One key={id} instance={found} />}</Loaded>;
}

function One({ instance }: { readonly instance: Stored<OneInstance> }) {
  const t = useWords(words);
  const navigate = useNavigate();
  const search: InstanceSearch = instanceRoute.useSearch();
  const { _id, processDefinitionId, startUserId, startTime, superProcessInstanceId } = instance;
  const name = instance.processDefinitionName ?? instance.processDefinitionKey;
  const isOver = instance.endTime !== null;
  const [isAsked, setAsked] = useState(false);
  const go = (change: InstanceSearch) =>
    void navigate({ to: addressOf('instance', _id), search: { ...search, ...change }, replace: true });
  return (
    <Page
      title={t.titleOf(name)}
      says={
        <span className="row">
          <Link to={addressOf('definition', processDefinitionId)}>{processDefinitionId}</Link>
          <InstanceState of={instance} />
          <span>
            {startUserId ?? '–'} <Ago at={startTime} />
          </span>
          {superProcessInstanceId === null ? null : (
            <Link to={addressOf('instance', superProcessInstanceId)}>{t.calledBy}</Link>
          )}
        </span>
      }
      actions={isOver ? null : <Actions instance={instance} name={name} />}
    >
      <PageKeys
        path={['workflow', 'processinstance', ...(isOver ? ['history'] : []), _id]}
        touches={['instance', 'task', 'deadletter']}
        onWhy={() => setAsked(true)}
      />
      {isAsked ? <WhyThere instance={instance} onClose={() => setAsked(false)} /> : null}
      {instance.deleteReason === null ? null : <p className="note">{instance.deleteReason}</p>}
      {isOver ? null : (
        <Card title={t.waitsFor}>
          <Waits instance={_id} waits={instance.waitsFor} />
        </Card>
      )}
      <Replay instance={instance} step={search.step} onStep={(step) => go({ step })} />
      <Tabs
        label={name}
        at={search.tab ?? 'activities'}
        onGo={(tab) => go({ tab })}
        tabs={[
          {
            id: 'activities',
            title: t.activities,
            content: <Activities activities={instance.activities} hint={instance.activitiesHint} />,
          },
          { id: 'variables', title: t.variables, content: <Variables instance={instance} /> },
          { id: 'letters', title: t.letters, content: <Letters instance={_id} /> },
          { id: 'acts', title: t.acts, content: <Acts acts={instance.events} /> },
        ]}
      />
    </Page>
  );
}

/** Where it stands, or where it stood: a step at a time. */
function Replay({
  instance,
  step,
  onStep,
}: {
  readonly instance: OneInstance;
  readonly step: string | undefined;
  readonly onStep: (step: string | undefined) => void;
}) {
  const t = useWords(words);
  const { diagramSvg, activities } = instance;
  const steps = stepsOf(activities);
  const at = Math.min(step === undefined ? steps.length : Number(step), steps.length);
  const move = (by: number) => {
    const next = Math.min(Math.max(at + by, 0), steps.length);
    onStep(next === steps.length ? undefined : String(next));
  };
  useKeys({ ArrowLeft: () => move(-1), ArrowRight: () => move(1) });
  if (diagramSvg === undefined) return <p className="soft">{t.noDiagram}</p>;
  const moment = steps[at]?.entered;
  return (
    <div className="stack">
      <Diagram
        label={t.diagram}
        svg={diagramSvg}
        {...(moment === undefined ? {} : { standing: standingAt(steps, at) })}
      />
      {steps.length === 0 ? null : (
        <label className="row">
          <span>{moment === undefined ? t.now : t.stepOf(at + 1, steps.length)}</span>
          <input
            type="range"
            className="grow"
            min={0}
            max={steps.length}
            value={at}
            onChange={({ target }) => move(Number(target.value) - at)}
          />
          <span className="soft">{moment === undefined ? null : <Moment at={moment} />}</span>
        </label>
      )}
    </div>
  );
}

function Actions({ instance, name }: { readonly instance: Stored<OneInstance>; readonly name: string }) {
  const t = useWords(words);
  const c = useWords(common);
  const review = useReview();
  const { _id, processDefinitionKey, processDefinitionId, suspended } = instance;
  const versions = useVersions(processDefinitionKey);
  const path = ['workflow', 'processinstance', _id];
  const act = (action: string, title: string, done: string, body?: unknown) =>
    void review({
      title,
      done,
      call: {
        method: 'POST',
        path,
        parameters: { _action: action },
        ...(body === undefined ? {} : { body }),
      },
      touches: ['instance', 'task', 'deadletter'],
    });
  const choose = (id: string) => {
    if (id === 'suspend') act(id, t.suspendTitle(name), t.suspendDone(name));
    else if (id === 'activate') act(id, t.activateTitle(name), t.activateDone(name));
    else if (id === 'cancel') {
      void review({
        title: t.cancelTitle(name),
        done: t.cancelDone(name),
        call: { method: 'DELETE', path },
        typed: processDefinitionKey,
        touches: ['instance', 'task', 'deadletter'],
      });
    } else {
      const version = versions.data?.find((each) => each._id === id)?.version ?? 0;
      act('migrate', t.migrateTitle(version), t.migrateDone(version), { processDefinitionId: id });
    }
  };
  return (
    <Menu
      label={c.actions}
      choices={[
        suspended === true
          ? { id: 'activate', title: t.activate, icon: 'play' as const }
          : { id: 'suspend', title: t.suspend, icon: 'pause' as const },
        ...(versions.data ?? [])
          .filter((each) => each._id !== processDefinitionId)
          .map((each) => ({ id: each._id, title: t.migrateOne(each.version) })),
        { id: 'cancel', title: t.cancel, icon: 'close' as const },
      ]}
      onChoose={choose}
    />
  );
}

/** What people have done to it from outside. */
function Acts({ acts }: { readonly acts: readonly Act[] }) {
  const t = useWords(words);
  const language = useLanguage();
  if (acts.length === 0) return <p className="soft">{t.noActs}</p>;
  return (
    <ol className="lines card card-body" lang={language}>
      {acts.map(({ number, at, userId, stimulus }) => {
        const { transaction } = stimulus;
        return (
          <li key={number}>
            <span className="soft">
              <Moment at={at} />
            </span>
            <strong>{actOf(stimulus)}</strong>
            <span className="soft grow">{userId}</span>
            {typeof transaction === 'string' ? (
              <Link to={`/audit/${encodeURIComponent(transaction)}`}>{t.all}</Link>
            ) : null}
          </li>
        );
      })}
    </ol>
  );
}

function actOf({ kind, act, element }: Readonly<Record<string, unknown>>): string {
  const said = typeof act === 'object' && act !== null && 'kind' in act ? act.kind : kind;
  return [said, element].filter((part) => typeof part === 'string').join(' ');
}
