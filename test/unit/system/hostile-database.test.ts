import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { mysqlDialect } from '#system/connectors/sql/mysql-dialect.ts';
import { postgresDialect } from '#system/connectors/sql/postgres-dialect.ts';
import { SqlPool } from '#system/connectors/sql/sql-pool.ts';
import type { Dialect } from '#system/connectors/sql/sql-session.ts';
import { writeForever } from '../../support/connector/hostile-directory.ts';

/** A message of Postgres. */
function told(type: string, ...parts: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(parts);
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

const READY = told('Z', Buffer.from('I'));
const LOGGED_IN = Buffer.concat([told('R', Buffer.alloc(4)), READY]);
const COLUMN = Buffer.concat([
  Buffer.from([0, 1]),
  Buffer.from('a\0'),
  Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 0, 25, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0]),
]);
const ROW = told('D', Buffer.from([0, 1, 0, 0x0f, 0x42, 0x40]), Buffer.alloc(1_000_000, 'x'));

function postgresWithRowsForever(socket: Socket): void {
  socket.once('data', () => {
    socket.write(LOGGED_IN);
    socket.on('data', (asked) => {
      if (asked[0] === 'Q'.charCodeAt(0))
        return socket.write(Buffer.concat([told('C', Buffer.from('SET\0')), READY]));
      socket.write(Buffer.concat([told('1'), told('2'), told('T', COLUMN)]));
      return writeForever(socket, ROW);
    });
  });
}

/** What comes after the login. */
function postgresThatSays(answer: Buffer): (socket: Socket) => void {
  return (socket) => void socket.once('data', () => socket.write(Buffer.concat([LOGGED_IN, answer])));
}

/** One packet goes on in the next one as long as each is as large as one can be. */
function greetingForever(socket: Socket): void {
  let number = 0;
  const next = () => {
    const packet = Buffer.alloc(0x1000003, 10);
    packet.writeUIntLE(0xffffff, 0, 3);
    packet[3] = number++ & 0xff;
    if (!socket.destroyed) socket.write(packet, next);
  };
  next();
}

it.each<[string, Dialect, (socket: Socket) => void]>([
  ['Postgres with rows', postgresDialect, postgresWithRowsForever],
  [
    'Postgres with a login',
    postgresDialect,
    (socket) => {
      socket.write(told('N', Buffer.alloc(10)).fill(0x7f, 1, 5));
      writeForever(socket, ROW);
    },
  ],
  ['MySQL with a greeting', mysqlDialect, greetingForever],
])('%s without end is left', async (_, dialect, speak) => {
  const asked = await answerOf(dialect, speak);
  expect(asked).toMatchObject({ kind: 'protocol', message: expect.stringContaining('more than') });
});

it.each([
  ['a notice whose fields do not end', told('N', Buffer.from('Mwords'))],
  ['an error whose fields do not end', told('E', Buffer.from('Mwords\0'))],
  ['a message without a length', Buffer.alloc(5, 'N').fill(0, 1)],
  ['columns that are not there', told('T', Buffer.from([0, 9]))],
  ['a copy that is none', told('H', Buffer.from([0xfb, 0x43, 0x1b, 0x66]))],
])('%s of Postgres is read no further', async (_, answer) => {
  expect(await answerOf(postgresDialect, postgresThatSays(answer))).toMatchObject({ kind: 'protocol' });
});

async function answerOf(dialect: Dialect, speak: (socket: Socket) => void): Promise<unknown> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
    speak(socket);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  const login = { host: '127.0.0.1', port, database: 'd', user: 'u', password: undefined, tls: undefined };
  const pool = new SqlPool(dialect, login, ({ host, port: at }) => connect(at, host));
  try {
    const asked = pool.read(AbortSignal.timeout(60_000), (session) => session.query('select $1', ['a']));
    return await asked.catch((error: unknown) => error);
  } finally {
    pool.close();
    for (const socket of sockets) socket.destroy();
    server.close();
  }
}
