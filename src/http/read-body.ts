import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { BadRequestError, PayloadTooLargeError, ResourceError, systemCodeOf } from '#errors/index.ts';
import { firstOf } from '#json/index.ts';

type Decoder = (body: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

/** What `Content-Encoding` may say. */
const DECODERS: Readonly<Record<string, Decoder>> = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
};

/**
 * The most that the body of a request has, decoded; 0 when there is none.
 *
 * @throws PayloadTooLargeError when it says itself that it has more than that
 */
export function bodyBytes({ headers }: IncomingMessage, limitBytes: number): number {
  const { 'content-length': length, 'transfer-encoding': encoding } = headers;
  if (encoding === undefined && (length === undefined || length === '0')) return 0;
  if (Number(length) > limitBytes) throw tooLarge(limitBytes);
  return encoding === undefined && isPlain(headers['content-encoding']) ? Number(length) : limitBytes;
}

/** A body on whose speed somebody has an eye. */
export interface WatchedBody {
  /** So many bytes more. */
  readonly arrived?: (bytes: number) => void;
  /** Told when all of the body is there, packed as it may be. */
  readonly whole?: () => void;
  /** It has come in too slowly. */
  readonly givenUp?: AbortSignal;
}

/**
 * The body of a request as text. It is read off Node's own message: a web stream around it costs more than all else that
 * happens to a request.
 *
 * @param limitBytes of the body as it came, and of what it decodes to
 * @throws PayloadTooLargeError as soon as the limit is passed; the rest is left unread. ResourceError 408 when it is given up, 415
 *   for an encoding that nobody knows
 */
export function readBody(
  incoming: IncomingMessage,
  limitBytes: number,
  watched: WatchedBody = {},
): Promise<string> {
  const decoder = decoderOf(incoming.headers['content-encoding']);
  const read = readBytes(incoming, limitBytes, watched);
  return (decoder === undefined ? read : read.then((bytes) => unpack(bytes, decoder, limitBytes))).then(
    decode,
  );
}

function readBytes(
  incoming: IncomingMessage,
  limitBytes: number,
  { givenUp, arrived, whole }: WatchedBody,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // A client that went away while its body waited to be read sends nothing any more.
    if (incoming.destroyed) return reject(cutShort());
    const chunks: Buffer[] = [];
    let bytes = 0;
    const take = (chunk: Buffer) => {
      bytes += chunk.length;
      chunks.push(chunk);
      arrived?.(chunk.length);
      if (bytes <= limitBytes) return;
      incoming.off('data', take);
      incoming.pause();
      reject(tooLarge(limitBytes));
    };
    const giveUp = () => {
      incoming.off('data', take);
      reject(tooSlow());
    };
    givenUp?.addEventListener('abort', giveUp, { once: true });
    incoming.on('data', take);
    const cut = () => reject(cutShort());
    incoming.once('end', () => {
      // A connection that is kept closes its message as well, and an error is dear to make for nobody.
      incoming.off('close', cut);
      whole?.();
      resolve(chunks.length === 1 ? firstOf(chunks) : Buffer.concat(chunks));
    });
    // Also when the client goes away: nobody will read the answer.
    incoming.once('error', (cause) => reject(cutShort(cause)));
    incoming.once('close', cut);
  });
}

function tooSlow(): ResourceError {
  return new ResourceError(408, 'The request body came too slowly while others waited', {
    id: 'HTTP_BODY_SLOW',
    hint: 'Nothing was done. Send it again, or in smaller parts',
  });
}

function cutShort(cause?: unknown): BadRequestError {
  return new BadRequestError('The request body ended early', { id: 'HTTP_BODY_CUT', cause });
}

function isPlain(header: string | undefined): boolean {
  return ['', 'identity'].includes((header ?? '').trim().toLowerCase());
}

function decoderOf(header: string | undefined): Decoder | undefined {
  if (header === undefined || isPlain(header)) return undefined;
  const encoding = header.trim().toLowerCase();
  const decoder = Object.hasOwn(DECODERS, encoding) ? DECODERS[encoding] : undefined;
  if (decoder !== undefined) return decoder;
  throw new ResourceError(415, `The Content-Encoding is '${header}'`, {
    id: 'HTTP_CONTENT_ENCODING',
    hint: "Send the body as it is, or with 'gzip', 'deflate' or 'br'",
  });
}

async function unpack(bytes: Buffer, decoder: Decoder, limitBytes: number): Promise<Buffer> {
  try {
    return await decoder(bytes, { maxOutputLength: limitBytes });
  } catch (cause) {
    if (systemCodeOf(cause) === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(limitBytes);
    throw new BadRequestError('The request body is not what its Content-Encoding says', {
      id: 'HTTP_BAD_ENCODING',
      cause,
    });
  }
}

/** Bytes that are no text would be kept as question marks, and two names become one. */
function decode(bytes: Buffer): string {
  if (!isUtf8(bytes)) {
    throw new BadRequestError('The request body is not UTF-8', {
      id: 'HTTP_NOT_UTF8',
      hint: 'Send JSON in UTF-8',
    });
  }
  const text = bytes.toString('utf8');
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

function tooLarge(limitBytes: number): PayloadTooLargeError {
  return new PayloadTooLargeError(`The request body is larger than ${limitBytes} bytes`, {
    id: 'HTTP_BODY_TOO_LARGE',
  });
}
