import { ADMIN_PASSWORD } from './api.ts';
import { eventually } from './eventually.ts';

export interface HeardEvent {
  readonly event: string;
  readonly id: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
  readonly data: any;
}

/** A client that listens to events, and what it has heard. */
export interface EventListener extends AsyncDisposable {
  readonly status: number;
  readonly headers: Headers;
  readonly heard: readonly HeardEvent[];
  /** The last id that the stream has had. */
  readonly lastId: string | undefined;
  /** How often the server has said that it lives. */
  readonly beats: number;
  /** Resolves with the first event that fits. */
  next(fits: (event: HeardEvent) => boolean): Promise<HeardEvent>;
  /** Resolves when the server has ended the stream. */
  readonly ended: Promise<void>;
}

export async function listenTo(
  url: string,
  topics: string,
  headers: Record<string, string> = {
    'X-Svc-Username': 'svc-admin',
    'X-Svc-Password': ADMIN_PASSWORD,
  },
): Promise<EventListener> {
  const abort = new AbortController();
  const response = await fetch(`${url}/svc/events?topics=${encodeURIComponent(topics)}`, {
    headers,
    signal: abort.signal,
  });
  const heard: HeardEvent[] = [];
  let lastId: string | undefined;
  let beats = 0;
  const ended = (async () => {
    let text = '';
    const decoder = new TextDecoder();
    try {
      for await (const chunk of response.body!) {
        text += decoder.decode(chunk as Uint8Array, { stream: true });
        const frames = text.split('\n\n');
        text = frames.pop()!;
        for (const frame of frames) {
          if (frame.startsWith(': still here')) beats += 1;
          const fields = new Map(
            frame.split('\n').map((line) => [line.split(':')[0], line.slice(line.indexOf(':') + 2)]),
          );
          lastId = fields.get('id') ?? lastId;
          const data = fields.get('data');
          if (data !== undefined)
            heard.push({ event: fields.get('event')!, id: fields.get('id'), data: JSON.parse(data) });
        }
      }
    } catch (error) {
      if (!abort.signal.aborted) throw error;
    }
  })();
  const listener: EventListener = {
    status: response.status,
    headers: response.headers,
    heard,
    get lastId() {
      return lastId;
    },
    get beats() {
      return beats;
    },
    next: async (fits) =>
      (await eventually(
        async () => heard.find(fits),
        (event) => event !== undefined,
      ))!,
    ended,
    async [Symbol.asyncDispose]() {
      abort.abort();
      await ended;
    },
  };
  if (response.status === 200) await listener.next(({ event }) => event === 'open');
  return listener;
}
