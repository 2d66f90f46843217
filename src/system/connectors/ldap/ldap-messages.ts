import { ConnectorError, Frames, MOST_ANSWER_BYTES } from '../../contract.ts';
import { bytesOfElement, requireSoundMessage } from './message-shape.ts';

interface Waiting {
  reject(error: Error): void;
}

/** What the library reads messages with, which its own types do not tell. */
interface MessageReader {
  read(data: Buffer, waiting: Map<string, Waiting>): void;
}

/**
 * Hands the library one whole and sound message at a time, of no more than so many bytes for one question. By itself it calls itself for
 * each message of a packet, until the stack ends and the process with it, puts all that has come together anew with each packet, waits for
 * messages of any length, and reads for ever in one that ends too early. One question is under way at a time.
 */
export class LdapMessages {
  readonly #discard: () => void;
  readonly #frames = new Frames(bytesWanted);
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
        for (const message of this.#frames.add(data)) {
          requireSoundMessage(message);
          readOne(message, waiting);
        }
      } catch (error) {
        this.#end(error, waiting);
      }
    };
  }

  /** Whether something has come that is no whole message yet. */
  get isAmid(): boolean {
    return this.#frames.isAmid;
  }

  #count(bytes: number, waiting: ReadonlyMap<string, Waiting>): void {
    const [question] = waiting.keys();
    if (question !== this.#question) this.#received = 0;
    this.#question = question;
    this.#received += bytes;
    if (this.#received > MOST_ANSWER_BYTES) throw tooMuch();
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

function bytesWanted(bytes: Buffer): number {
  const wanted = bytesOfElement(bytes, 0);
  if (wanted > MOST_ANSWER_BYTES) throw tooMuch();
  return wanted;
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
