import { connect, createServer, type Server, type Socket } from 'node:net';

interface Link {
  readonly client: Socket;
  readonly server: Socket;
  /** Nothing passes any more, and neither side is told: a firewall has forgotten the connection. */
  forgotten: boolean;
  /** Bytes of answers that have passed. */
  answered: number;
}

export interface Weather {
  /** Each piece of data waits for so long. */
  readonly delayMs?: number;
  /** Only what goes to the server waits. */
  readonly delaysQuestions?: true;
  /** What does not pass: it is kept back until the weather changes, as TCP would send it again. */
  readonly hole?: 'both' | 'toServer' | 'toClient';
  /** Of each piece of data, that its connection is reset instead. */
  readonly resetShare?: number;
  /** New connections are refused. */
  readonly closed?: boolean;
  /** So many answers to COMMIT are cut off, with their connections. */
  readonly loseCommits?: number;
  /** So many bytes of answers pass on a connection, and then it is reset. */
  readonly answerBytes?: number;
  /** Of each answer something else arrives. */
  readonly garbles?: (data: Buffer) => Buffer;
}

const CALM: Weather = {};
const COMMIT = /commit\0/i;

/** What lies between a node and its database, and can fail in all the ways in which a network fails. */
export class TcpProxy implements AsyncDisposable {
  readonly #server: Server;
  readonly #links = new Set<Link>();
  readonly #target: () => { host: string; port: number };
  readonly #random: () => number;
  #weather: Weather = CALM;
  #commitsToLose = 0;
  /** Answers to COMMIT that were cut off. */
  lostCommits = 0;

  private constructor(target: () => { host: string; port: number }, random: () => number) {
    this.#target = target;
    this.#random = random;
    this.#server = createServer((client) => this.#accept(client));
  }

  static async open(target: () => { host: string; port: number }, random: () => number): Promise<TcpProxy> {
    const proxy = new TcpProxy(target, random);
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as { port: number }).port;
  }

  get connections(): number {
    return this.#links.size;
  }

  /** Holds from now on; without an argument nothing is wrong any more. */
  setWeather(weather: Weather = CALM): void {
    this.#weather = weather;
    this.#commitsToLose = weather.loseCommits ?? 0;
    for (const link of this.#links) this.#apply(link);
  }

  /**
   * Ends what is open now; new connections work. `reset`: both sides are told. `forget`: neither is, as when a firewall
   * has forgotten the connections: they stay open and are dead.
   */
  endAll(how: 'reset' | 'forget'): void {
    for (const link of this.#links) {
      if (how === 'reset') cut(link);
      else {
        link.forgotten = true;
        this.#apply(link);
      }
    }
  }

  #accept(client: Socket): void {
    if (this.#weather.closed === true) {
      client.resetAndDestroy();
      return;
    }
    const server = connect(this.#target());
    const link: Link = { client, server, forgotten: false, answered: 0 };
    this.#links.add(link);
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      from.setNoDelay(true);
      from.on('data', (data) => this.#pass(link, from, to, data));
      from.on('error', () => {});
      from.on('close', () => this.#closed(link, to));
    }
    this.#apply(link);
  }

  #pass(link: Link, from: Socket, to: Socket, data: Buffer): void {
    const { delayMs = 0, delaysQuestions, resetShare = 0 } = this.#weather;
    if (resetShare > 0 && this.#random() < resetShare) {
      cut(link);
      return;
    }
    if (this.#commitsToLose > 0 && from === link.client && COMMIT.test(data.toString('latin1'))) {
      this.#commitsToLose -= 1;
      this.lostCommits += 1;
      link.server.removeAllListeners('data');
      // Once there is an answer, the commit has happened.
      link.server.once('data', () => cut(link));
    }
    if (to === link.client) {
      const { answerBytes = Infinity, garbles } = this.#weather;
      const left = answerBytes - link.answered;
      link.answered += data.length;
      if (data.length > left) {
        if (left > 0) send(link, to, data.subarray(0, left));
        setImmediate(() => cut(link));
        return;
      }
      if (garbles !== undefined) {
        send(link, to, garbles(data));
        return;
      }
    }
    if (delayMs === 0 || (delaysQuestions === true && to === link.client)) send(link, to, data);
    else setTimeout(() => send(link, to, data), delayMs);
  }

  #apply(link: Link): void {
    const { hole } = this.#weather;
    const stop = (holes: readonly string[], from: Socket) => {
      if (link.forgotten || (hole !== undefined && holes.includes(hole))) from.pause();
      else from.resume();
    };
    stop(['both', 'toServer'], link.client);
    stop(['both', 'toClient'], link.server);
  }

  #closed(link: Link, other: Socket): void {
    if (link.forgotten && !other.destroyed) {
      // The other side is not told.
      setTimeout(() => other.destroy(), 600_000).unref();
      return;
    }
    this.#links.delete(link);
    const { delayMs = 0 } = this.#weather;
    // What is still on its way arrives before.
    if (delayMs > 0) setTimeout(() => other.destroy(), 2 * delayMs);
    else other.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { client, server } of this.#links) {
      client.destroy();
      server.destroy();
    }
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}

function send(link: Link, to: Socket, data: Buffer): void {
  if (!link.forgotten && !to.destroyed) to.write(data);
}

function cut({ client, server }: Link): void {
  client.resetAndDestroy();
  server.resetAndDestroy();
}
