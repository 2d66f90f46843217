import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import type { Why } from '../../parts/chain.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Loaded, Page } from '../../parts/page.tsx';
import { Ago, Took } from '../../parts/time.tsx';
import { WhyDialog } from '../../parts/why-dialog.tsx';
import { client } from '../../session/client.ts';
import { common } from '../../words/common.ts';
import { useLanguage, useWords } from '../../words/words.ts';
import { useReview } from '../../write/review.tsx';
import { Events } from './events.tsx';
import styles from './nodes.module.css';
import { words } from './words.ts';

const LOOK_MS = 5_000;
const MEGABYTE = 2 ** 20;

/** As `cluster?_fields=*` shows it. */
interface ClusterNode {
  readonly instanceId: string;
  readonly startup: string;
  readonly state: string;
  readonly roles?: readonly string[];
  readonly seenAt?: string;
  readonly version?: string;
  readonly configuration?: string;
  readonly clockSkewMs?: number;
  readonly ready?: boolean;
  /** Absent where it is not. */
  readonly drained?: { readonly since: string; readonly by: string };
  readonly parts?: readonly { readonly name: string; readonly ok: boolean; readonly detail?: string }[];
  readonly figures?: Readonly<Record<string, number>>;
}

export function NodesPage() {
  const t = useWords(words);
  const nodes = useQuery({
    queryKey: ['node', 'list'],
    queryFn: () =>
      client.send<{ results: readonly ClusterNode[] }>({
        method: 'GET',
        path: ['cluster'],
        parameters: { _fields: '*' },
      }),
    refetchInterval: LOOK_MS,
    placeholderData: keepPreviousData,
  });
  const [asked, setAsked] = useState<string>();
  return (
    <Page title={t.title} says={nodes.data === undefined ? null : t.count(nodes.data.results.length)}>
      <Loaded of={nodes}>
        {({ results }) => (
          <div className={styles['nodes']}>
            {inOrder(results).map((node) => (
              <OneNode
                key={node.instanceId}
                node={node}
                isSame={results.every(
                  ({ configuration, state }) => state !== 'running' || configuration === node.configuration,
                )}
                onAsk={() => setAsked(node.instanceId)}
              />
            ))}
          </div>
        )}
      </Loaded>
      <Events />
      {asked === undefined ? null : (
        <WhyDialog
          title={t.whyTitle(asked)}
          queryKey={['node', 'why', asked]}
          ask={() => client.resource('cluster').action<Why>('why', { id: asked })}
          onClose={() => setAsked(undefined)}
        />
      )}
    </Page>
  );
}

/** Living nodes come first. */
function inOrder(nodes: readonly ClusterNode[]): readonly ClusterNode[] {
  const rank = ({ state }: ClusterNode) => (state === 'down' ? 1 : 0);
  return [...nodes].sort((a, b) => rank(a) - rank(b) || a.instanceId.localeCompare(b.instanceId));
}

function StateOf({ node: { state, ready, drained } }: { readonly node: ClusterNode }) {
  const t = useWords(words);
  if (state === 'down') {
    return (
      <Badge tone="quiet" mark="□">
        {t.down}
      </Badge>
    );
  }
  if (state !== 'running') {
    return (
      <Badge tone="warn" mark="◪">
        {t.leaving}
      </Badge>
    );
  }
  if (drained !== undefined) {
    return (
      <Badge tone="warn" mark="‖">
        {t.drained}
      </Badge>
    );
  }
  return ready === false ? (
    <Badge tone="bad" mark="✗">
      {t.notReady}
    </Badge>
  ) : (
    <Badge tone="good" mark="■">
      {t.ready}
    </Badge>
  );
}

function OneNode({
  node,
  isSame,
  onAsk,
}: {
  readonly node: ClusterNode;
  readonly isSame: boolean;
  readonly onAsk: () => void;
}) {
  const t = useWords(words);
  const c = useWords(common);
  const language = useLanguage();
  const review = useReview();
  const { instanceId: name, figures = {}, parts = [] } = node;
  const act = (action: string, title: string, done: string) =>
    void review({
      title,
      done,
      call: { method: 'POST', path: ['cluster', name], parameters: { _action: action } },
      touches: ['node'],
    });
  const broken = parts.filter(({ ok }) => !ok);
  const isRunning = node.state === 'running';
  const isDrained = node.drained !== undefined;
  const number = new Intl.NumberFormat(language, { maximumFractionDigits: 0 });
  const figure = (each: string) => figures[each] ?? 0;
  const known = [
    { title: t.roles, value: node.roles?.join(', ') },
    { title: t.version, value: node.version },
    { title: t.since, value: <Ago at={node.startup} /> },
    { title: t.seen, value: <Ago at={node.seenAt} /> },
  ];
  // What it last said of itself is not how it is.
  const present = [
    { title: t.slots, value: t.slotsOf(figure('firings'), figure('firingSlots')) },
    { title: t.jobs, value: number.format(figure('jobs')) },
    { title: t.scripts, value: number.format(figure('scriptsBusy')) },
    { title: t.pool, value: t.poolOf(figure('poolSize'), figure('poolWaiting')) },
    { title: t.locks, value: number.format(figure('lockWaits')) },
    { title: t.memory, value: `${number.format(figure('residentBytes') / MEGABYTE)} MiB` },
    { title: t.skew, value: <Took ms={node.clockSkewMs} /> },
    { title: t.configuration, value: isSame ? t.same : t.other },
  ];
  return (
    <section className="card" aria-label={name}>
      <header className="card-head">
        <h2>{name}</h2>
        <StateOf node={node} />
      </header>
      <div className="card-body stack">
        {broken.length === 0 ? null : (
          <div className="note bad">
            <div className="note-body">
              <p className="title">{t.parts}</p>
              {broken.map(({ name: part, detail }) => (
                <p key={part}>
                  <code>{part}</code> {detail}
                </p>
              ))}
            </div>
          </div>
        )}
        <Facts of={[...known, ...(node.state === 'down' ? [] : present)]} />
        <div className="row">
          <Button onPress={onAsk}>{c.why}</Button>
          {!isRunning ? null : isDrained ? (
            <Button onPress={() => act('resume', t.resumeTitle(name), t.resumeDone(name))}>{t.resume}</Button>
          ) : (
            <Button onPress={() => act('drain', t.drainTitle(name), t.drainDone(name))}>{t.drain}</Button>
          )}
        </div>
      </div>
    </section>
  );
}
