import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Icon } from '../../parts/icon.tsx';
import { useKeys } from '../../parts/keys.ts';
import { Card, Loaded, Page } from '../../parts/page.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { Ago, Moment, Took } from '../../parts/time.tsx';
import { client } from '../../session/client.ts';
import { useWords } from '../../words/words.ts';
import { useReview } from '../../write/review.tsx';
import { shown } from '../../write/write.ts';
import { Entries } from './entries.tsx';
import { addressOf, runRoute } from './routes.ts';
import { isUnderWay, type Report, type Run, RunState, Side } from './run.tsx';
import { startPlan } from './start.ts';
import { words } from './words.ts';

const LOOK_MS = 1_000;

export function RunPage() {
  const { id } = runRoute.useParams();
  const run = useQuery({
    queryKey: ['reconciliation', id, 'run'],
    queryFn: () => client.send<Run>({ method: 'GET', path: ['recon', id] }),
    refetchInterval: ({ state }) => (state.data !== undefined && isUnderWay(state.data) ? LOOK_MS : false),
    retry: false,
  });
  return <Loaded of={run}>{(found) => <One key={id} run={found} />}</Loaded>;
}

function One({ run }: { readonly run: Run }) {
  const t = useWords(words);
  const navigate = useNavigate();
  const review = useReview();
  const { _id, mapping, mode, state, stageDescription, progress, entrySummary, error } = run;
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const isRunning = isUnderWay(run);
  const report = useQuery({
    // What it comes to changes with the run, so it is asked for as often.
    queryKey: ['reconciliation', _id, 'report', state, entrySummary],
    queryFn: () => client.send<Report>({ method: 'GET', path: ['recon', _id, 'report'] }),
    placeholderData: (before) => before,
    retry: false,
  });
  const takenAway = report.data?.actions
    .filter(({ state: of, takesAway }) => of === 'planned' && takesAway)
    .reduce((sum, { entries }) => sum + entries, 0);
  const mayApprove = !isRunning && entrySummary.planned > 0;
  const approve = () => {
    if (!mayApprove) return;
    void review({
      title: t.approveTitle(mapping),
      done: t.approveDone(mapping),
      call: {
        method: 'POST',
        path: ['recon', _id],
        parameters: {
          _action: 'approve',
          ...(left.size === 0 ? {} : { except: [...left].join(',') }),
        },
        body: {},
      },
      ...((takenAway ?? 0) > 0 ? { typed: mapping } : {}),
      touches: ['reconciliation', 'audit'],
    });
  };
  const cancel = () => {
    if (!isRunning) return;
    void review({
      title: t.cancelTitle(mapping),
      done: t.cancelDone,
      call: { method: 'POST', path: ['recon', _id], parameters: { _action: 'cancel' }, body: {} },
      touches: ['reconciliation', 'audit'],
    });
  };
  const again = useMutation({
    mutationFn: () => startPlan({ mapping, ids: '', filter: '' }),
    onSuccess: (id) => void navigate({ to: addressOf(id) }),
  });
  useKeys({ a: approve, c: cancel });
  return (
    <Page
      title={mapping}
      says={
        <span className="row">
          <Link to="/reconciliations">{t.title}</Link>
          <RunState of={run} />
          {mode === 'plan' ? <span>{t.plan}</span> : null}
          <Link to={`/mappings/${encodeURIComponent(mapping)}`}>{t.mapping}</Link>
        </span>
      }
      actions={
        <div className="row">
          {left.size === 0 ? null : <span className="soft">{t.leftOut(left.size)}</span>}
          {isRunning ? (
            <Button onPress={cancel}>{t.cancel}</Button>
          ) : (
            <Button onPress={() => again.mutate()} isPending={again.isPending}>
              {t.again}
            </Button>
          )}
          {mayApprove ? (
            <Button look="primary" onPress={approve}>
              {t.approve}
            </Button>
          ) : null}
        </div>
      }
    >
      {again.error === null ? null : <ErrorNote error={again.error} />}
      {error === null ? null : <Note message={error.message} hint={error.hint} tone="bad" />}
      {mayApprove ? (
        <p>
          {t.wouldDo(entrySummary.planned)}{' '}
          {takenAway === undefined || takenAway === 0 ? '' : t.wouldTake(takenAway)}
        </p>
      ) : null}
      <Card title={t.progress}>
        <div className="stack">
          <Side title={t.sources} of={progress.source.existing} />
          <Side title={t.targets} of={progress.target.existing} />
          <Facts
            of={[
              { title: t.state, value: stageDescription },
              { title: t.started, value: <Moment at={run.started} /> },
              ...(isRunning
                ? [{ title: t.estimate, value: <Ago at={run.estimate} /> }]
                : [{ title: t.ended, value: <Moment at={run.ended} /> }]),
              { title: t.took, value: <Took ms={run.duration} /> },
              ...('sourceIds' in run.parameters
                ? [{ title: t.which, value: shown(run.parameters['sourceIds']) }]
                : []),
            ]}
          />
        </div>
      </Card>
      <Loaded of={report}>{(found) => <What of={found} />}</Loaded>
      <Entries
        run={run}
        left={left}
        onLeave={(id, isLeft) =>
          setLeft((before) => {
            const next = new Set(before);
            if (isLeft) next.add(id);
            else next.delete(id);
            return next;
          })
        }
      />
    </Page>
  );
}

function Note({
  message,
  hint,
  tone,
}: {
  readonly message: string | undefined;
  readonly hint: string | undefined;
  readonly tone: 'bad' | 'warn';
}) {
  return (
    <div className={`note ${tone}`} role="alert">
      <Icon name={tone} />
      <div className="note-body">
        <p className="title">{message}</p>
        {hint === undefined ? null : <p>{hint}</p>}
      </div>
    </div>
  );
}

type Action = Report['actions'][number];
type Attribute = Report['attributes'][number];

/** How often which action in which situation, what the threshold has against it, and which values it is about. */
function What({ of: { actions, refusal, attributes } }: { readonly of: Report }) {
  const t = useWords(words);
  const columns: readonly Column<Action>[] = [
    {
      id: 'situation',
      title: t.situation,
      cell: ({ situation }) => <code>{situation ?? '–'}</code>,
      width: 'minmax(12rem, 1fr)',
    },
    { id: 'action', title: t.action, cell: ({ action }) => <code>{action ?? '–'}</code>, width: '10rem' },
    {
      id: 'state',
      title: t.comesTo,
      cell: ({ state, takesAway }) => `${t[state]}${takesAway ? `, ${t.takesAway}` : ''}`,
      width: 'minmax(12rem, 1fr)',
    },
    { id: 'entries', title: t.entries, cell: ({ entries }) => entries, width: '7rem' },
  ];
  const values: readonly Column<Attribute>[] = [
    {
      id: 'attribute',
      title: t.attribute,
      cell: ({ attribute }) => <code>{attribute}</code>,
      width: 'minmax(12rem, 1fr)',
    },
    { id: 'action', title: t.action, cell: ({ action }) => <code>{action}</code>, width: '10rem' },
    { id: 'entries', title: t.entries, cell: ({ entries }) => entries, width: '7rem' },
    {
      id: 'examples',
      title: t.examples,
      cell: ({ examples }) =>
        examples
          .slice(0, 5)
          .map((number) => t.pair(String(number)))
          .join(', '),
      width: 'minmax(14rem, 2fr)',
    },
  ];
  return (
    <>
      {refusal === null ? null : <Note message={refusal.message} hint={refusal.hint} tone="warn" />}
      {actions.length === 0 ? null : (
        <Card title={t.what}>
          <Table
            label={t.what}
            columns={columns}
            rows={actions}
            idOf={({ phase, situation, action, state }) => `${phase} ${situation} ${action} ${state}`}
            maxHeight="none"
          />
        </Card>
      )}
      {attributes.length === 0 ? null : (
        <Card title={t.attributes}>
          <Table
            label={t.attributes}
            columns={values}
            rows={attributes}
            idOf={({ attribute, action }) => `${attribute} ${action}`}
            maxHeight="24rem"
          />
        </Card>
      )}
    </>
  );
}
