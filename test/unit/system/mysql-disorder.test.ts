import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { expect, it, vi } from 'vitest';
import { mysqlDialect } from '#system/connectors/sql/mysql-dialect.ts';
import { SqlPool } from '#system/connectors/sql/sql-pool.ts';

/** The first packet of MySQL 8, with the number that a later one would have. */
function greeting(number: number): Buffer {
  const body = Buffer.concat([
    Buffer.from([10]),
    Buffer.from('8.0.0\0'),
    Buffer.alloc(4, 1),
    Buffer.from('12345678\0'),
    Buffer.from([0xff, 0xff, 33, 2, 0, 0xff, 0xff, 21]),
    Buffer.alloc(10),
    Buffer.from('123456789012\0'),
    Buffer.from('mysql_native_password\0'),
  ]);
  const head = Buffer.alloc(4);
  head.writeUIntLE(body.length, 0, 3);
  head[3] = number;
  return Buffer.concat([head, body]);
}

it('a database whose packets come out of order is left, without a word of a library on our output', async () => {
  const said = vi.spyOn(console, 'error');
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
    socket.write(greeting(7));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  const login = { host: '127.0.0.1', port, database: 'd', user: 'u', password: undefined, tls: undefined };
  const pool = new SqlPool(mysqlDialect, login, ({ host, port: at }) => connect(at, host));
  try {
    const asked = pool.read(AbortSignal.timeout(60_000), (session) => session.query('select 1'));
    await expect(asked).rejects.toMatchObject({
      kind: 'protocol',
      message: 'Packets have come out of order',
    });
    expect(said).not.toHaveBeenCalled();
  } finally {
    said.mockRestore();
    for (const socket of sockets) socket.destroy();
    server.close();
  }
});
