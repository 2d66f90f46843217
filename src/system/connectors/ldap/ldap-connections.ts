import { isIP, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import { Client } from 'ldapts';
import { ConnectorError, type ConnectorHost, type Secret } from '../../contract.ts';
import { asConnectorError } from './ldap-error-table.ts';
import { LdapMessages } from './ldap-messages.ts';

export interface LdapPlace {
  readonly host: string;
  readonly port: number;
}

export interface LdapLogin {
  /** The servers in the order in which they are tried. */
  readonly places: readonly LdapPlace[];
  readonly security: 'none' | 'tls' | 'startTls';
  readonly tls: ConnectionOptions;
  readonly principal: string | undefined;
  readonly credentials: Secret | undefined;
}

/** A connection in use. Who throws it away ends what is under way on it. */
export interface LdapConnection {
  readonly client: Client;
  readonly discard: () => void;
  readonly isReused: boolean;
}

const MOST_IDLE = 5;
/** Firewalls forget connections that nobody uses, without a word. */
const LONGEST_IDLE_MS = 60_000;

/** Connections to a directory that are logged in; each is used by one at a time. */
export class LdapConnections {
  readonly #login: LdapLogin;
  readonly #connect: ConnectorHost['connect'];
  readonly #idle: { readonly connection: LdapConnection; readonly since: number }[] = [];
  readonly #open = new Set<LdapConnection>();
  #isEnded = false;

  constructor(login: LdapLogin, connect: ConnectorHost['connect']) {
    this.#login = login;
    this.#connect = connect;
  }

  /**
   * Does something with a connection. One over which something failed, or was ended, is not used again.
   *
   * @throws ConnectorError
   */
  async use<T>(signal: AbortSignal, work: (client: Client) => Promise<T>): Promise<T> {
    const connection = await this.take(signal);
    const onAbort = () => connection.discard();
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      const result = await work(connection.client);
      this.giveBack(connection);
      return result;
    } catch (error) {
      const told = asConnectorError(error);
      const isSound =
        told instanceof ConnectorError && !['unavailable', 'timeout', 'protocol'].includes(told.kind);
      if (isSound) this.giveBack(connection);
      else connection.discard();
      throw signal.aborted ? new ConnectorError('timeout', 'It was ended', { cause: error }) : told;
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  /** The same once more over a new connection where an old one turns out to be gone: for what changes nothing. */
  async read<T>(signal: AbortSignal, work: (client: Client) => Promise<T>): Promise<T> {
    const wasReused = this.#idle.length > 0;
    try {
      return await this.use(signal, work);
    } catch (error) {
      const isGone = error instanceof ConnectorError && error.kind === 'unavailable';
      if (!wasReused || !isGone || signal.aborted) throw error;
      this.closeIdle();
      return this.use(signal, work);
    }
  }

  /** What comes of something that is done over a connection that was taken. @throws ConnectorError */
  async told<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      throw signal.aborted
        ? new ConnectorError('timeout', 'It was ended', { cause: error })
        : asConnectorError(error);
    }
  }

  async take(signal: AbortSignal): Promise<LdapConnection> {
    for (;;) {
      const idle = this.#idle.pop();
      if (idle === undefined) break;
      const isFresh = performance.now() - idle.since < LONGEST_IDLE_MS;
      if (isFresh && idle.connection.client.isConnected) return { ...idle.connection, isReused: true };
      idle.connection.discard();
    }
    return this.open(signal, this.#login);
  }

  giveBack(connection: LdapConnection): void {
    if (this.#isEnded || this.#idle.length >= MOST_IDLE || !connection.client.isConnected)
      connection.discard();
    else this.#idle.push({ connection, since: performance.now() });
  }

  /** A new connection, logged in as somebody. @throws ConnectorError of the last place that was tried */
  async open(
    signal: AbortSignal,
    who: Pick<LdapLogin, 'principal' | 'credentials'>,
  ): Promise<LdapConnection> {
    let failure: unknown;
    for (const place of this.#login.places) {
      try {
        return await this.#openAt(place, signal, who);
      } catch (error) {
        failure = asConnectorError(error);
        if (!(failure instanceof ConnectorError) || failure.kind !== 'unavailable') break;
      }
    }
    throw signal.aborted ? new ConnectorError('timeout', 'It was ended') : failure;
  }

  close(): void {
    this.#isEnded = true;
    for (const connection of this.#open) connection.discard();
    this.#open.clear();
  }

  /** Where one of them was gone, the others are likely to be. */
  closeIdle(): void {
    for (const { connection } of this.#idle.splice(0)) connection.discard();
  }

  async #openAt(
    place: LdapPlace,
    signal: AbortSignal,
    { principal, credentials }: Pick<LdapLogin, 'principal' | 'credentials'>,
  ): Promise<LdapConnection> {
    if (this.#isEnded) throw new ConnectorError('unavailable', 'The system is closed');
    const { security } = this.#login;
    // An address is no name that TLS could ask for, and the certificate is held against it all the same.
    const named = isIP(place.host) === 0 ? { servername: place.host } : {};
    const tls = { host: place.host, ...named, ...this.#login.tls };
    const sockets = new Set<Socket>();
    const kept = <S extends Socket>(socket: S): S => {
      sockets.add(socket);
      // An error that comes when nobody listens any more is none.
      socket.on('error', () => {});
      return socket;
    };
    const plain = () => {
      // The library would open it anew when it is gone, and go on as nobody.
      if (sockets.size > 0) throw new ConnectorError('unavailable', 'The connection is gone');
      return kept(this.#connect(place));
    };
    const client = new Client({
      url: `${security === 'tls' ? 'ldaps' : 'ldap'}://${urlHost(place.host)}:${place.port}`,
      createConnection: plain,
      createSecureConnection: (options: unknown) => {
        const isUpgrade = typeof options === 'object' && options !== null;
        // Else whoever stands in between puts words of theirs in front of what the directory says.
        if (isUpgrade && messages.isAmid) {
          throw new ConnectorError('protocol', 'More came before TLS than the answer to StartTLS');
        }
        const given = isUpgrade ? options : { socket: plain() };
        return kept(connectTls({ ...given, ...tls }));
      },
    });
    const connection: LdapConnection = {
      client,
      isReused: false,
      discard: () => {
        this.#open.delete(connection);
        for (const socket of sockets) socket.destroy();
      },
    };
    const messages = new LdapMessages(client, connection.discard);
    this.#open.add(connection);
    const { promise: ended, reject } = Promise.withResolvers<never>();
    ended.catch(() => {});
    const onAbort = () => {
      connection.discard();
      reject(new ConnectorError('timeout', 'It was ended'));
    };
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      if (signal.aborted) onAbort();
      const opening = async () => {
        if (security === 'startTls') await client.startTLS(tls);
        // Without a name it is a login by nobody, which opens the connection as well.
        await client.bind(principal ?? '', principal === undefined ? '' : (credentials?.reveal() ?? ''));
      };
      await Promise.race([opening(), ended]);
      return connection;
    } catch (error) {
      connection.discard();
      throw error;
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }
}

function urlHost(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
