import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { HttpExchange } from './http-exchange.ts';

/** Requests of one connection that may wait for those before them. */
const MOST_WAITING = 100;

interface Waiting {
  readonly outgoing: ServerResponse;
  readonly begin: () => void;
}

/**
 * The requests of a connection, one after the other. A client may send the next ones before it has an answer, and Node
 * would begin all of them at once: others would wait behind as many as fit into a few megabytes.
 */
export class Turns {
  /** A connection is in it while a request of it is under way. */
  readonly #waiting = new WeakMap<Socket, Waiting[]>();

  /**
   * Begins a request now, or when those before it have been answered; never when their client has gone.
   *
   * @returns false when too many wait already
   */
  take({ incoming, outgoing }: HttpExchange, begin: () => void): boolean {
    const { socket } = incoming.message;
    const waiting = this.#waiting.get(socket);
    if (waiting === undefined) {
      this.#waiting.set(socket, []);
      this.#begin(socket, { outgoing, begin });
    } else if (waiting.length < MOST_WAITING) waiting.push({ outgoing, begin });
    else return false;
    return true;
  }

  #begin(socket: Socket, { outgoing, begin }: Waiting): void {
    outgoing.once('close', () => {
      const next = socket.writable ? this.#waiting.get(socket)?.shift() : undefined;
      if (next === undefined) this.#waiting.delete(socket);
      else this.#begin(socket, next);
    });
    begin();
  }
}
