import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { reasonOf } from '#errors/index.ts';
import type { HttpExchange } from './http-exchange.ts';
import { SMALL_ANSWER, type UnsentAnswers } from './unsent-answers.ts';
import type { Answer } from './write-response.ts';

/** A year, as lists of browsers ask for. Hosts below this one could set its cookies in plain HTTP. */
const STAY_WITH_TLS = 'max-age=31536000; includeSubDomains';

/** On every answer; pages replace the policy by their own, and files of ours may be kept. */
const SECURE_HEADERS: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Content-Security-Policy':
    "default-src 'none'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

/** How long a client may go on sending what nobody reads, before its connection ends. */
export const LINGER_MS = 500;

export interface AnswerWriterOptions {
  /** What is on its way from this node. */
  readonly unsent: Pick<UnsentAnswers, 'add'>;
  /** Whether the server stops; then each answer asks its client to close the connection. */
  readonly isStopping: () => boolean;
}

/** The one place that answers: whatever is said to a client leaves here, headers and body as one. */
export class AnswerWriter {
  readonly #isStopping: () => boolean;
  readonly #unsent: Pick<UnsentAnswers, 'add'>;

  constructor({ unsent, isStopping }: AnswerWriterOptions) {
    this.#isStopping = isStopping;
    this.#unsent = unsent;
  }

  write(
    { incoming, outgoing, requestId, account }: HttpExchange,
    { status, headers, body, stream }: Answer,
  ): void {
    const bytes = body === null ? 0 : Buffer.byteLength(body);
    const all: OutgoingHttpHeaders = { ...SECURE_HEADERS, 'X-Request-Id': requestId };
    if (incoming.isSecure) all['Strict-Transport-Security'] = STAY_WITH_TLS;
    if (this.#isStopping()) all['Connection'] = 'close';
    if (body !== null) all['Content-Length'] = bytes;
    Object.assign(all, headers);
    if (bytes > SMALL_ANSWER) this.#unsent.add(account, bytes, outgoing);
    // The status line says what the body of an error does.
    if (status < 400) outgoing.writeHead(status, all);
    else outgoing.writeHead(status, reasonOf(status), all);
    if (stream !== undefined) {
      stream(outgoing);
      return;
    }
    const { message } = incoming;
    if (message.complete) return void outgoing.end(body);
    if (body !== null) outgoing.write(body);
    endBehind(message, () => outgoing.end());
  }
}

/**
 * Many a client that is cut off while it sends never sees the answer, so the rest of its body is let in for a moment.
 * Node alone would read on for as long as a request may take.
 */
function endBehind(message: IncomingMessage, end: () => void): void {
  const settle = () => {
    clearTimeout(late);
    end();
  };
  const late = setTimeout(() => {
    end();
    message.socket.destroySoon();
  }, LINGER_MS);
  message.once('end', settle);
  message.once('close', settle);
  message.resume();
}

/** The same answer as a text, for a connection of which no request could be read; it is the last there. */
export function answerText({ status, headers, body }: Answer, isHead: boolean): string {
  const text = String(body ?? '');
  const all = {
    ...SECURE_HEADERS,
    ...headers,
    Connection: 'close',
    'Content-Length': Buffer.byteLength(text),
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${status} ${reasonOf(status)}`, ...lines, '', isHead ? '' : text].join('\r\n');
}
