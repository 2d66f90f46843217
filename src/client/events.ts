import { SvcError, UnreachableError } from './client-error.ts';
import type { Transport } from './transport.ts';

/** Something that has happened. Its content is asked for over REST, where the rights of the caller are looked at. */
export interface Heard {
  /** `open`, `change`, or `gap`: something was missed, so look at all of it again. */
  readonly event: string;
  /** Goes into `after`, to go on from there. */
  readonly id: string | undefined;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface Listening {
  /** The last id that was heard. */
  readonly after?: string;
  readonly signal?: AbortSignal;
}

const RETRY_MS = 1_000;

/** Listens until it is no longer asked, or aborted. @throws SvcError for topics that are refused */
export async function* listen(
  transport: Transport,
  topics: readonly string[],
  { after, signal }: Listening = {},
): AsyncGenerator<Heard, void> {
  let last = after;
  for (let isFirst = true; ; isFirst = false) {
    try {
      const response = await transport.open({
        method: 'GET',
        path: ['events'],
        parameters: { topics: topics.join(',') },
        headers: last === undefined ? {} : { 'Last-Event-ID': last },
        signal,
      });
      for await (const heard of eventsOf(response)) {
        last = heard.id ?? last;
        yield heard;
      }
    } catch (error) {
      if (signal?.aborted === true) return;
      // What is refused now is refused next time, too; and who has never been there is not cut off.
      if (isFirst || (error instanceof SvcError && error.code < 500)) throw error;
    }
    if (signal?.aborted === true) return;
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

async function* eventsOf({ body }: Response): AsyncGenerator<Heard, void> {
  if (body === null) throw new UnreachableError('The events have no content');
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const frames = (text + value).split('\n\n');
      text = frames.pop() ?? '';
      for (const frame of frames) {
        const heard = eventOf(frame);
        if (heard !== undefined) yield heard;
      }
    }
  } finally {
    // Whoever has heard enough lets go of the connection.
    await reader.cancel().catch(() => undefined);
  }
}

/** Undefined for what only says that the server lives. */
function eventOf(frame: string): Heard | undefined {
  const lines = frame.split('\n').map((line): [string, string] => {
    const at = line.indexOf(': ');
    return [line.slice(0, at), line.slice(at + 2)];
  });
  const fields = new Map(lines);
  const data = fields.get('data');
  if (data === undefined) return undefined;
  return { event: fields.get('event') ?? 'message', id: fields.get('id'), data: JSON.parse(data) };
}
