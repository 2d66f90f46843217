import type { IncomingMessage } from 'node:http';
import { BadRequestError, PayloadTooLargeError } from '#errors/index.ts';

/**
 * The body of a request as text; empty when it has none. It is read off Node's own message: a web stream around it
 * costs more than all else that happens to a request.
 *
 * @throws PayloadTooLargeError as soon as the limit is passed; the rest is left unread
 */
export function readBody(incoming: IncomingMessage, limitBytes: number): Promise<string> | string {
  const { 'content-length': length, 'transfer-encoding': encoding } = incoming.headers;
  if (encoding === undefined && (length === undefined || length === '0')) return '';
  if (Number(length) > limitBytes) throw tooLarge(limitBytes);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const take = (chunk: Buffer) => {
      bytes += chunk.length;
      chunks.push(chunk);
      if (bytes <= limitBytes) return;
      incoming.off('data', take);
      incoming.pause();
      reject(tooLarge(limitBytes));
    };
    incoming.on('data', take);
    incoming.once('end', () => resolve(decode(chunks)));
    // Also when the client goes away: nobody will read the answer.
    incoming.once('error', (cause) =>
      reject(new BadRequestError('The request body ended early', { id: 'HTTP_BODY_CUT', cause })),
    );
  });
}

function decode(chunks: readonly Buffer[]): string {
  const text = (chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)).toString('utf8');
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

function tooLarge(limitBytes: number): PayloadTooLargeError {
  return new PayloadTooLargeError(`The request body is larger than ${limitBytes} bytes`, {
    id: 'HTTP_BODY_TOO_LARGE',
  });
}
