import { useQuery } from '@tanstack/react-query';
import { client } from './client.ts';

/** A request that somebody may or may not make, in the words of `/access?_action=may`. */
export interface Ask {
  readonly method: 'query' | 'read' | 'create' | 'update' | 'patch' | 'delete' | 'action';
  readonly path: string;
  readonly action?: string;
  /** What an update would store, by which it is judged. */
  readonly content?: object;
}

interface Answer {
  readonly granted: boolean;
}

const MOST = 200;
const keyOf = ({ method, path, action = '' }: Ask) => `${method} ${path} ${action}`;

/** What is asked in the same moment is one request. */
let waiting: {
  readonly ask: Ask;
  readonly answer: (granted: boolean) => void;
  readonly fail: (e: unknown) => void;
}[] = [];

function may(ask: Ask): Promise<boolean> {
  return new Promise((answer, fail) => {
    waiting.push({ ask, answer, fail });
    if (waiting.length === 1) queueMicrotask(() => void askAll());
  });
}

async function askAll(): Promise<void> {
  const asked = waiting.slice(0, MOST);
  waiting = waiting.slice(MOST);
  try {
    const answers: readonly Answer[] = await client
      .resource('access')
      .action('may', { body: asked.map(({ ask }) => ask) });
    for (const [at, { answer }] of asked.entries()) answer(answers[at]?.granted === true);
  } catch (error) {
    for (const { fail } of asked) fail(error);
  }
  if (waiting.length > 0) await askAll();
}

async function mayAll(asks: readonly Ask[]): Promise<ReadonlySet<string>> {
  const answers = await Promise.all(asks.map(async (ask) => ((await may(ask)) ? [keyOf(ask)] : [])));
  return new Set(answers.flat());
}

export interface Grants {
  readonly may: (ask: Ask) => boolean;
  /** False as long as the server has not said. */
  readonly areKnown: boolean;
}

/** What the caller may do, as the server says. What is not granted is not offered; the server refuses it all the same. */
export function useGrants(asks: readonly Ask[]): Grants {
  const { data } = useQuery({
    queryKey: ['may', ...asks.map(keyOf)],
    queryFn: () => mayAll(asks),
    staleTime: 60_000,
  });
  return { may: (ask) => data?.has(keyOf(ask)) === true, areKnown: data !== undefined };
}
