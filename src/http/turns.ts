import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { HttpExchange } from './http-exchange.ts';

/** Requests of one connection that may wait for those before them. */
const MOST_WAITING = 100;

interface Turn {
  readonly message: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly begin: () => void;
}

/**
 * The requests of a connection, one after the other. A client may send the next ones before it has an answer, and Node
 * would begin all of them at once: others would wait behind as many as fit into a few megabytes.
 */
export class Turns {
  /** The first of a connection is under way. */
  readonly #turns = new WeakMap<Socket, Turn[]>();
  readonly #last = new WeakMap<Socket, () => void>();

  /**
   * Begins a request now, or when those before it have been answered; never when their client has gone.
   *
   * @returns false when too many wait already
   */
  take({ incoming: { message }, outgoing }: HttpExchange, begin: () => void): boolean {
    const turn = { message, outgoing, begin };
    const turns = this.#turns.get(message.socket);
    if (turns === undefined) {
      this.#turns.set(message.socket, [turn]);
      this.#begin(message.socket, turn);
    } else if (turns.length <= MOST_WAITING) turns.push(turn);
    else return false;
    return true;
  }

  /**
   * Says a connection's last word, about what could not be read: behind the answers to the requests before that, which are
   * carried out. A request whose body could not be read has no other answer.
   */
  sayLast(socket: Socket, say: () => void): void {
    const turns = this.#turns.get(socket) ?? [];
    if (turns.at(-1)?.message.complete === false) turns.pop();
    if (turns.length === 0) say();
    else this.#last.set(socket, say);
  }

  #begin(socket: Socket, { outgoing, begin }: Turn): void {
    outgoing.once('close', () => {
      const turns = this.#turns.get(socket) ?? [];
      turns.shift();
      const next = socket.writable ? turns[0] : undefined;
      if (next !== undefined) return this.#begin(socket, next);
      this.#turns.delete(socket);
      if (socket.writable) this.#last.get(socket)?.();
    });
    begin();
  }
}
