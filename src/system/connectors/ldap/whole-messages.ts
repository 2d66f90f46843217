import { ConnectorError, MOST_ANSWER_BYTES } from '../../contract.ts';

interface Waiting {
  reject(error: Error): void;
}

/** What the library reads messages with, which its own types do not tell. */
interface MessageReader {
  read(data: Buffer, waiting: Map<string, Waiting>): void;
}

/** Each message is a SEQUENCE (RFC 4511, 4.1.1). */
const SEQUENCE = 0x30;
const LONG_LENGTH = 0x80;
const MOST_LENGTH_BYTES = 4;

/**
 * Hands the library one whole message at a time, of no more than so many bytes for one question. By itself it calls itself for each
 * message of a packet, until the stack ends and the process with it, puts all that has come together anew with each packet, and waits
 * for messages of any length. One question is under way at a time.
 */
export class WholeMessages {
  readonly #discard: () => void;
  #parts: Buffer[] = [];
  #bytes = 0;
  #wanted = 2;
  #question: string | undefined;
  #received = 0;

  /** @param discard ends the connection */
  constructor(client: object, discard: () => void) {
    this.#discard = discard;
    const reader = 'messageParser' in client ? client.messageParser : undefined;
    if (!isMessageReader(reader))
      throw new Error('The library for LDAP reads its messages in another way now');
    const readOne = reader.read.bind(reader);
    reader.read = (data, waiting) => {
      try {
        this.#count(data.length, waiting);
        for (const message of this.#whole(data)) readOne(message, waiting);
      } catch (error) {
        this.#end(error, waiting);
      }
    };
  }

  /** Whether something has come that is no whole message yet. */
  get isAmid(): boolean {
    return this.#bytes > 0;
  }

  #count(bytes: number, waiting: ReadonlyMap<string, Waiting>): void {
    const [question] = waiting.keys();
    if (question !== this.#question) this.#received = 0;
    this.#question = question;
    this.#received += bytes;
    if (this.#received > MOST_ANSWER_BYTES) throw tooMuch();
  }

  *#whole(data: Buffer): Generator<Buffer, void, undefined> {
    this.#parts.push(data);
    this.#bytes += data.length;
    if (this.#bytes < this.#wanted) return;
    let rest = this.#parts.length === 1 ? data : Buffer.concat(this.#parts);
    for (;;) {
      this.#wanted = bytesWanted(rest);
      this.#parts = rest.length === 0 ? [] : [rest];
      this.#bytes = rest.length;
      if (rest.length < this.#wanted) return;
      const message = rest.subarray(0, this.#wanted);
      rest = rest.subarray(this.#wanted);
      yield message;
    }
  }

  #end(error: unknown, waiting: Map<string, Waiting>): void {
    const told = error instanceof Error ? error : new Error(String(error));
    for (const [question, { reject }] of waiting) {
      waiting.delete(question);
      reject(told);
    }
    this.#discard();
  }
}

/** How long the first message is; where that cannot be said yet, how much it takes to say it. */
function bytesWanted(bytes: Buffer): number {
  const [tag, length] = bytes;
  if (tag !== undefined && tag !== SEQUENCE)
    throw new ConnectorError('protocol', 'What was answered is no LDAP');
  if (length === undefined) return 2;
  if (length < LONG_LENGTH) return 2 + length;
  const count = length - LONG_LENGTH;
  if (count === 0 || count > MOST_LENGTH_BYTES) {
    throw new ConnectorError('protocol', 'What was answered is no LDAP: nobody can tell how long it is');
  }
  if (bytes.length < 2 + count) return 2 + count;
  const all = 2 + count + bytes.readUIntBE(2, count);
  if (all > MOST_ANSWER_BYTES) throw tooMuch();
  return all;
}

function isMessageReader(reader: unknown): reader is MessageReader {
  return (
    typeof reader === 'object' && reader !== null && 'read' in reader && typeof reader.read === 'function'
  );
}

function tooMuch(): ConnectorError {
  return new ConnectorError(
    'protocol',
    `The directory answers one question with more than ${MOST_ANSWER_BYTES} bytes`,
  );
}
