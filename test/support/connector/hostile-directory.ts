import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import type { JsonObject } from '#json/index.ts';
import { directorySite } from './directory-site.ts';
import type { ConnectorSite } from './fixture.ts';

/** A message that came, and how it is answered. */
export interface DirectoryRequest {
  readonly id: number;
  readonly operation: number;
  readonly text: string;
}

export const BIND = 0x60;
export const SEARCH = 0x63;
export const EXTENDED = 0x77;

/** A tag, a length and what is in it (BER). */
export function element(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(parts);
  const head = Buffer.from([tag, 0x84, 0, 0, 0, 0]);
  head.writeUInt32BE(body.length, 2);
  return Buffer.concat([head, body]);
}

export function octets(text: string): Buffer {
  return element(4, Buffer.from(text));
}

export function message(id: number, ...operation: readonly Uint8Array[]): Buffer {
  return element(0x30, Buffer.from([2, 2, id >> 8, id & 0xff]), ...operation);
}

/** The end of an operation: success, or another code. */
export function done({ id, operation }: Pick<DirectoryRequest, 'id' | 'operation'>, code = 0): Buffer {
  const answer = operation === SEARCH ? 0x65 : operation + 1;
  return message(id, element(answer, Buffer.from([0x0a, 1, code]), octets(''), octets('')));
}

export function entry(
  { id }: DirectoryRequest,
  name: string,
  attributes: Readonly<Record<string, readonly string[]>>,
): Buffer {
  const all = Object.entries(attributes).map(([type, values]) =>
    element(0x30, octets(type), element(0x31, ...values.map(octets))),
  );
  return message(id, element(0x64, octets(name), element(0x30, ...all)));
}

/** Writes the same again and again, until nobody reads it. */
export function writeForever(socket: Socket, chunk: Uint8Array): void {
  while (!socket.destroyed && socket.write(chunk));
  if (!socket.destroyed) socket.once('drain', () => writeForever(socket, chunk));
}

/** What speaks LDAP and means no good. Logins succeed. */
export async function hostileDirectory(
  answer: (socket: Socket, request: DirectoryRequest) => void,
  configuration: JsonObject = {},
): Promise<{ readonly site: ConnectorSite } & AsyncDisposable> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    // A client that asks one thing at a time sends a message a packet.
    socket.on('data', (data) => {
      const request = requestIn(data);
      if (request?.operation === BIND) socket.write(done(request));
      else if (request !== undefined) answer(socket, request);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  const site = directorySite(
    { port, principal: 'cn=admin,dc=example,dc=com', password: 'p' },
    configuration,
    {},
    () => connect(port, '127.0.0.1'),
  );
  return {
    site,
    async [Symbol.asyncDispose]() {
      await site[Symbol.asyncDispose]();
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

function requestIn(data: Buffer): DirectoryRequest | undefined {
  if (data[0] !== 0x30) return undefined;
  const body = 2 + ((data[1] ?? 0) >= 0x80 ? (data[1] ?? 0) - 0x80 : 0);
  const length = data[body + 1] ?? 0;
  const operation = data[body + 2 + length];
  if (operation === undefined) return undefined;
  return { id: data.readUIntBE(body + 2, length), operation, text: data.toString('latin1') };
}
