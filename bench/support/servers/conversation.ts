import { type Child, startChild } from '../child.ts';

/** One request. In path and body `${number}` is another number in each conversation, `${about}` one of its subjects. */
export interface Step {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: string;
  /** What the steps behind it say as `${name}`: members of the answer, such as `result.0._id`. */
  readonly takes?: Readonly<Record<string, string>>;
}

export interface Conversation {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
  readonly clients: number;
  readonly ms: number;
  /** Subjects, of which each conversation takes one at random. */
  readonly about: readonly string[];
  /** One conversation about each of them instead, however long that takes. */
  readonly eachOnce?: boolean;
}

export interface ConversationResult {
  readonly count: number;
  readonly perSecond: number;
  readonly p99Ms: number;
}

/** A process that has conversations; an answer other than 2xx fails the round. */
export function startConversations(): Promise<Child<Conversation, ConversationResult>> {
  return startChild('./servers/conversation-client.ts');
}
