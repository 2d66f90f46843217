import { ConnectorError, Frames } from '../../contract.ts';

type Listener = (data: Buffer) => void;

/** As much of a stream as the library reads it by. */
interface Listened {
  on(event: string, listener: Listener): unknown;
  destroy(error: Error): unknown;
}

/** What a client has that its own types do not tell. */
interface Attaching {
  attachListeners(stream: Pick<Listened, 'on'>): void;
}

const HEADER = 5;
/** Messages that consist of fields, an error and a notice: a letter and a text each, and a zero at the end. */
const FIELDS: ReadonlySet<number | undefined> = new Set([...Buffer.from('EN')]);

/**
 * Hands the library whole messages that are sound. By itself it looks for fields of an error for ever where their end is missing, and
 * what else it cannot read ends the process.
 */
export function readSoundMessages(client: object): void {
  const connection = 'connection' in client ? client.connection : undefined;
  if (!isAttaching(connection)) {
    throw new Error('The library for Postgres reads its messages in another way now');
  }
  const attach = connection.attachListeners.bind(connection);
  connection.attachListeners = (stream) => attach(isListened(stream) ? sound(stream) : stream);
}

function sound(stream: Listened): Pick<Listened, 'on'> {
  return {
    on: (event, listener) => stream.on(event, event === 'data' ? guarded(stream, listener) : listener),
  };
}

function guarded(stream: Listened, listener: Listener): Listener {
  const frames = new Frames(bytesWanted);
  return (data) => {
    try {
      for (const message of frames.add(data)) {
        if (FIELDS.has(message[0])) requireFields(message);
        listener(message);
      }
    } catch (error) {
      stream.destroy(error instanceof ConnectorError ? error : unsound(error));
    }
  };
}

function bytesWanted(bytes: Buffer): number {
  if (bytes.length < HEADER) return HEADER;
  const length = bytes.readUInt32BE(1);
  if (length < 4) throw unsound();
  return 1 + length;
}

function requireFields(message: Buffer): void {
  let at = HEADER;
  while (message[at] !== 0) {
    const end = message.indexOf(0, at + 1);
    if (end < 0) throw unsound();
    at = end + 1;
  }
}

function isAttaching(connection: unknown): connection is Attaching {
  return (
    typeof connection === 'object' &&
    connection !== null &&
    'attachListeners' in connection &&
    typeof connection.attachListeners === 'function'
  );
}

function isListened(stream: object): stream is Listened {
  return 'destroy' in stream && typeof stream.destroy === 'function' && 'on' in stream;
}

function unsound(cause?: unknown): ConnectorError {
  return new ConnectorError('protocol', 'What was answered is not the protocol of Postgres', { cause });
}
