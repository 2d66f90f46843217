import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { SvcError } from '#client/index.ts';
import { client } from '../session/client.ts';
import type { Ask } from '../session/grants.ts';
import { useGrants } from '../session/grants.ts';

/** What each topic takes the right to ask for. */
const TOPICS: Readonly<Record<string, Ask>> = {
  firing: { method: 'query', path: 'scheduler/firing' },
  schedule: { method: 'query', path: 'scheduler/job' },
  scan: { method: 'read', path: 'taskscanner' },
  operation: { method: 'query', path: 'operation' },
  node: { method: 'read', path: 'cluster' },
  task: { method: 'query', path: 'workflow/taskinstance' },
  instance: { method: 'query', path: 'workflow/processinstance' },
  deadletter: { method: 'query', path: 'workflow/job/deadletter' },
  config: { method: 'read', path: 'config' },
  audit: { method: 'query', path: 'audit/activity' },
};
const ASKS = Object.values(TOPICS);
const GATHER_MS = 150;
const RETRY_MS = 10_000;

export type LiveState = 'live' | 'quiet' | 'off';

/**
 * Keeps what is on the screen up to date: the first part of a query's key is the topic that it is about, such as `node` or
 * `object:user`. Events carry names and no content, so what has changed is asked for again, with the rights of whoever looks.
 * A page that nobody sees hears nothing, and looks at everything when it is seen again.
 */
export function useLive(): LiveState {
  const queries = useQueryClient();
  const { may } = useGrants(ASKS);
  const hearable = Object.entries(TOPICS)
    .filter(([, ask]) => may(ask))
    .map(([topic]) => topic)
    .join(',');
  const [topics, setTopics] = useState('');
  const [isSeen, setSeen] = useState(!document.hidden);
  const [state, setState] = useState<LiveState>('off');
  useEffect(() => {
    const look = () => setSeen(!document.hidden);
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
  }, []);
  useEffect(() => {
    const known = new Set(hearable.split(','));
    const look = () => setTopics(topicsOf(queries, known));
    look();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const end = queries.getQueryCache().subscribe(({ type }) => {
      if (type !== 'observerAdded' && type !== 'observerRemoved') return;
      clearTimeout(timer);
      timer = setTimeout(look, GATHER_MS);
    });
    return () => {
      clearTimeout(timer);
      end();
    };
  }, [queries, hearable]);
  useEffect(() => {
    if (topics === '' || !isSeen) {
      setState('quiet');
      return;
    }
    const end = new AbortController();
    void hear(queries, topics.split(','), end.signal, setState);
    return () => end.abort();
  }, [queries, topics, isSeen]);
  return state;
}

function topicsOf(queries: QueryClient, hearable: ReadonlySet<string>): string {
  const active = queries.getQueryCache().findAll({ type: 'active' });
  const names = active.map(({ queryKey: [topic] }) => String(topic));
  const wanted = names.filter((name) => hearable.has(name) || name.startsWith('object:'));
  return [...new Set(wanted)].sort().join(',');
}

async function hear(
  queries: QueryClient,
  topics: readonly string[],
  signal: AbortSignal,
  tell: (state: LiveState) => void,
): Promise<void> {
  const changed = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const askAgain = () => {
    timer = undefined;
    for (const topic of changed) void queries.invalidateQueries({ queryKey: [topic] });
    changed.clear();
  };
  while (!signal.aborted) {
    try {
      for await (const { event, data } of client.events(topics, { signal })) {
        tell('live');
        if (event === 'change') changed.add(String(data['topic']));
        else if (event === 'gap' || event === 'open') for (const topic of topics) changed.add(topic);
        timer ??= setTimeout(askAgain, GATHER_MS);
      }
    } catch (error) {
      tell('off');
      if (error instanceof SvcError && error.code === 403) return;
    }
    if (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
  clearTimeout(timer);
}
