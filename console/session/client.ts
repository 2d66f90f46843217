import { type Client, createClient, NotFoundError } from '#client/index.ts';

/** Where the console is, with a slash at its end: below any path that a proxy has put before it. */
export const BASE = import.meta.env.DEV
  ? '/console/'
  : new URL(/* @vite-ignore */ '../', import.meta.url).pathname;

const IDLE_MS = 60_000;

/** What happens when the server has no session for us any more, and when it wants the password again. */
export interface Doorkeeper {
  sessionEnded(): void;
  askPassword(): Promise<string>;
}

let doorkeeper: Doorkeeper | undefined;
let usedAt = performance.now();

export function setDoorkeeper(keeper: Doorkeeper | undefined): void {
  doorkeeper = keeper;
}

function noteUse(): void {
  usedAt = performance.now();
}

for (const event of ['pointerdown', 'keydown'] as const) {
  addEventListener(event, noteUse, { capture: true, passive: true });
}

/** The request ids of answers, by the signal that the request was sent with. */
const requestIds = new WeakMap<AbortSignal, string>();

export function requestIdOf(signal: AbortSignal): string | undefined {
  return requestIds.get(signal);
}

/**
 * What a page asks by itself is no use of its session, which so comes to its end when nobody is there; and an answer tells by
 * which id the trail knows what it has caused.
 */
const observedFetch: typeof fetch = async (input, init) => {
  const headers = new Headers(init?.headers);
  headers.set('Accept-Language', document.documentElement.lang);
  if (performance.now() - usedAt > IDLE_MS) headers.set('X-Svc-Background', '1');
  const response = await fetch(input, { ...init, headers });
  const id = response.headers.get('X-Request-Id');
  if (id !== null && init?.signal) requestIds.set(init.signal, id);
  const isLogin = headers.has('X-Svc-Username');
  if (response.status === 401 && !isLogin) doorkeeper?.sessionEnded();
  return response;
};

/** The only way to the server. */
export const client: Client = createClient({
  url: new URL(BASE.replace(/console\/$/, ''), location.origin).href,
  auth: 'session',
  fetch: observedFetch,
  reauthenticate: () => doorkeeper?.askPassword() ?? Promise.reject(new Error('Nobody is there to ask')),
});

/** What was asked for; null where there is none, which is an answer for whoever is about to make it. */
export async function orNone<T>(asked: Promise<T>): Promise<T | null> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof NotFoundError) return null;
    throw error;
  }
}
