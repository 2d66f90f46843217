import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useReducer, useRef, useState } from 'react';
import { useTyped } from '../../form/dirty.ts';
import type { Drawing } from '../../model/index.ts';
import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/field.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Card, Loaded, Loading, Page } from '../../parts/page.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { client } from '../../session/client.ts';
import { useWords } from '../../words/words.ts';
import { useReview } from '../../write/review.tsx';
import styles from './model.module.css';
import { type ModelFinding, useCheck } from './model-check.ts';
import { ModelPanel } from './model-panel.tsx';
import { ModelRehearsal } from './model-rehearsal.tsx';
import { modelWords } from './model-words.ts';
import { addressOf, type Definition, textOfFile, useVersions } from './process.tsx';
import { type ModelSearch, modelRoute } from './routes.ts';

const Code = lazy(() => import('../../code/code.tsx'));
const Paper = lazy(() => import('../../model/paper.tsx'));

const NEW = `<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:flowable="http://flowable.org/bpmn"
  xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" id="file" targetNamespace="Processes">
  <process id="newProcess" isExecutable="true">
    <startEvent id="start"/>
  </process>
</definitions>
`;

const LOOK_MS = 5_000;

type Origin = Definition & { readonly xml: string };

export function ModelPage() {
  const { from } = modelRoute.useSearch();
  const origin = useQuery({
    queryKey: ['definition', 'model', from],
    queryFn: () =>
      from === undefined
        ? null
        : client.send<Origin>({
            method: 'GET',
            path: ['workflow', 'processdefinition', from],
            parameters: { _fields: '*,xml' },
          }),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  return <Loaded of={origin}>{(found) => <Model key={from ?? ''} origin={found} />}</Loaded>;
}

/** A process file that is drawn or written; what was done to it is kept in this tab until it is deployed. */
function Model({ origin }: { readonly origin: Origin | null }) {
  const t = useWords(modelWords);
  const review = useReview();
  const navigate = useNavigate();
  const search: ModelSearch = modelRoute.useSearch();
  const { typed, type, isDirty, forget } = useTyped(
    `model ${origin?._id ?? ''}`,
    { properties: {} },
    t.leave,
  );
  const drawing = useRef<Drawing>(undefined);
  const [, turn] = useReducer((count: number) => count + 1, 0);
  const [way, setWay] = useState<readonly string[]>([]);
  // What begins anew is drawn anew.
  const [edition, begin] = useReducer((count: number) => count + 1, 0);
  const begun = origin === null ? NEW : textOfFile(origin.xml);
  const xml = textOf(typed['xml'], begun);
  const key = /<(?:\w+:)?process\b[^>]*?\sid="([^"]*)"/.exec(xml)?.[1] ?? '';
  const name = textOf(typed['name'], origin?.resourceName ?? `${key}.bpmn20.xml`);
  const replaces = textOf(typed['replaces'], origin?._id ?? '');
  const check = useCheck(name, xml);
  const findings = check.data ?? [];
  const write = (next: string) => {
    if (next !== begun || typed['xml'] !== undefined) type('xml', next);
  };
  useEffect(() => {
    drawing.current?.mark([
      ...way.map((element) => ({ element, marker: 'model-passed' })),
      ...findings.map(({ element, isWrong }) => ({
        element,
        marker: isWrong ? 'model-wrong' : 'model-doubtful',
      })),
    ]);
  });
  const deploy = async () => {
    const done = await review({
      title: t.deployTitle(name),
      done: t.deployDone(name),
      call: {
        method: 'POST',
        path: ['workflow', 'deployment'],
        parameters: { _action: 'deploy' },
        body: { name, content: xml, replaces: replaces === '' ? null : replaces },
      },
      touches: ['definition'],
    });
    if (done === undefined) return;
    forget();
    const id = firstOf(done.answer);
    void navigate({ to: id === undefined ? '/processes' : addressOf('definition', id) });
  };
  const tab = search.tab ?? 'drawing';
  const paper = (
    <div className="stack">
      <div className="row">
        <Button
          isDisabled={drawing.current?.history.canUndo() !== true}
          onPress={() => drawing.current?.history.undo()}
        >
          {t.undo}
        </Button>
        <Button
          isDisabled={drawing.current?.history.canRedo() !== true}
          onPress={() => drawing.current?.history.redo()}
        >
          {t.redo}
        </Button>
      </div>
      <Suspense fallback={<Loading />}>
        <Paper
          key={edition}
          label={t.drawing}
          xml={xml}
          onXml={write}
          onTurn={(turned) => {
            drawing.current = turned;
            turn();
          }}
        />
      </Suspense>
    </div>
  );
  return (
    <Page
      title={origin === null ? t.title : t.change(origin.name ?? origin.key, origin.version)}
      says={origin === null ? undefined : <Link to={addressOf('definition', origin._id)}>{origin.key}</Link>}
      actions={
        <div className="row">
          {isDirty ? (
            <Button
              onPress={() => {
                forget();
                begin();
              }}
            >
              {t.forget}
            </Button>
          ) : null}
          <Button look="primary" isDisabled={!isDirty} onPress={() => void deploy()}>
            {t.review}
          </Button>
        </div>
      }
    >
      <Newer of={origin} replaces={replaces} onReplace={(id) => type('replaces', id)} />
      <div className={styles['desk']}>
        <Tabs
          label={t.title}
          at={tab}
          onGo={(next) => {
            drawing.current = undefined;
            void navigate({ to: '/processes/model', search: { ...search, tab: next }, replace: true });
          }}
          tabs={[
            { id: 'drawing', title: t.drawing, content: paper },
            {
              id: 'xml',
              title: t.xml,
              content: (
                <div className="stack">
                  <TextField label={t.fileName} value={name} onChange={(next) => type('name', next)} />
                  <Suspense fallback={<Loading />}>
                    <Code label={t.xml} language="xml" value={xml} onChange={write} />
                  </Suspense>
                </div>
              ),
            },
            {
              id: 'rehearsal',
              title: t.rehearsal,
              content: <ModelRehearsal name={name} xml={xml} processKey={key} onWay={setWay} />,
            },
          ]}
        />
        <div className="stack">
          <Card title={t.findings}>
            <Loaded of={check}>
              {(found) => (
                <Findings
                  of={found}
                  isBusy={check.isFetching}
                  onChoose={(id) => drawing.current?.choose(id)}
                />
              )}
            </Loaded>
          </Card>
          {tab === 'drawing' && drawing.current !== undefined ? (
            <ModelPanel drawing={drawing.current} />
          ) : null}
        </div>
      </div>
    </Page>
  );
}

function Findings({
  of: findings,
  isBusy,
  onChoose,
}: {
  readonly of: readonly ModelFinding[];
  readonly isBusy: boolean;
  readonly onChoose: (element: string) => void;
}) {
  const t = useWords(modelWords);
  if (isBusy) return <p className="soft">{t.asking}</p>;
  if (findings.length === 0) return <p role="status">{t.fine}</p>;
  return (
    <ul className="lines" aria-label={t.findings}>
      {findings.map(({ element, message, hint, isWrong }) => (
        <li key={`${element} ${message}`} className={isWrong ? 'problem' : ''}>
          <Icon name={isWrong ? 'bad' : 'warn'} small /> {isWrong ? t.wrong : t.doubtful}:{' '}
          {element === '' ? null : (
            <Button look="quiet" onPress={() => onChoose(element)}>
              {element}
            </Button>
          )}{' '}
          {message}
          {hint === undefined ? null : <span className="hint"> {hint}</span>}
        </li>
      ))}
    </ul>
  );
}

/** Somebody else has deployed a version meanwhile; the server would refuse this one. */
function Newer({
  of: origin,
  replaces,
  onReplace,
}: {
  readonly of: Origin | null;
  readonly replaces: string;
  readonly onReplace: (id: string) => void;
}) {
  const t = useWords(modelWords);
  const [latest] = useVersions(origin?.key, LOOK_MS).data ?? [];
  if (latest === undefined || latest._id === replaces) return null;
  return (
    <div className="note warn" role="status">
      <Icon name="warn" />
      <div className="note-body">
        <p className="title">{t.newer(latest.version)}</p>
        <p>
          {t.newerText} <Link to={addressOf('definition', latest._id)}>{t.lookAtIt}</Link>
        </p>
      </div>
      <Button onPress={() => onReplace(latest._id)}>{t.goOn}</Button>
    </div>
  );
}

function textOf(value: unknown, fallback: string): string {
  return typeof value === 'string' ? value : fallback;
}

/** The first definition that a deployment has made. */
function firstOf(answer: unknown): string | undefined {
  if (typeof answer !== 'object' || answer === null || !('definitions' in answer)) return undefined;
  const [first]: readonly unknown[] = Array.isArray(answer.definitions) ? answer.definitions : [];
  return typeof first === 'object' && first !== null && '_id' in first ? String(first._id) : undefined;
}
