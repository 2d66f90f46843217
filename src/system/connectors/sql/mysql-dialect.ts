import type { Duplex } from 'node:stream';
import { createConnection } from 'mysql2';
import type { Connection } from 'mysql2/promise';
import { ConnectorError } from '../../contract.ts';
import { asConnectorError, MYSQL_CODES } from './sql-error-table.ts';
import type { Column, ColumnKind, Dialect, SqlSession } from './sql-session.ts';

const KINDS: Readonly<Record<string, ColumnKind>> = {
  char: 'text',
  varchar: 'text',
  tinytext: 'text',
  text: 'text',
  mediumtext: 'text',
  longtext: 'text',
  tinyint: 'integer',
  smallint: 'integer',
  mediumint: 'integer',
  int: 'integer',
  bigint: 'integer',
  decimal: 'decimal',
  float: 'real',
  double: 'real',
  uuid: 'uuid',
  binary: 'binary',
  varbinary: 'binary',
  tinyblob: 'binary',
  blob: 'binary',
  mediumblob: 'binary',
  longblob: 'binary',
};

/** MySQL and MariaDB. */
export const mysqlDialect: Dialect = {
  async open({ host, port, database, user, password, tls }, socket) {
    const raw = createConnection({
      host,
      port,
      database,
      user: user ?? '',
      password: password?.reveal() ?? '',
      stream: socket,
      charset: 'utf8mb4_bin',
      // Files of this machine are none of its business.
      flags: ['-LOCAL_FILES'],
      ...(tls === undefined
        ? {}
        : { ssl: { ...tls, rejectUnauthorized: true, verifyIdentity: true, minVersion: 'TLSv1.2' } }),
      dateStrings: true,
      supportBigNumbers: true,
      jsonStrings: true,
      rowsAsArray: true,
      maxPreparedStatements: 50,
      // The signal says how long it may take.
      connectTimeout: 0,
    });
    refuseDisorder(raw, socket);
    const connection = raw.promise();
    connection.on('error', () => {});
    await connection.connect();
    // What does not fit is refused rather than cut off.
    await connection.query(
      "set session sql_mode = concat(@@sql_mode, ',STRICT_ALL_TABLES,NO_BACKSLASH_ESCAPES')",
    );
    return sessionOf(connection);
  },
  quote: (name) => `\`${name.replaceAll('`', '``')}\``,
  parameter: (_number, kind) =>
    kind === 'integer'
      ? 'cast(? as decimal(65, 0))'
      : kind === 'decimal'
        ? 'cast(? as decimal(65, 30))'
        : '?',
  columns: `select column_name, data_type, column_type, is_nullable, column_default, extra
    from information_schema.columns
    where table_schema = coalesce(?, database()) and table_name = ? order by ordinal_position`,
  column: ([name, type, whole, isNullable, given, extra]): Column => {
    const isGenerated =
      /generated|virtual|stored/i.test(String(extra)) && !/default_generated/i.test(String(extra));
    return {
      name: String(name),
      kind: String(whole) === 'tinyint(1)' ? 'boolean' : (KINDS[String(type)] ?? 'other'),
      isNullable: isNullable === 'YES',
      hasDefault:
        isGenerated || (given !== null && given !== 'NULL') || /auto_increment/i.test(String(extra)),
      isGenerated,
    };
  },
  // Most texts are compared without regard to capitals, for which there may be an index; an id is compared by characters.
  sameKey: (column, id) => [
    `${column} = `,
    id,
    ` and cast(convert(${column} using utf8mb4) as binary) = cast(`,
    id,
    ' as binary)',
  ],
  boolean: (column, value) => `${column} ${value ? '<>' : '='} 0`,
  insertReturning: false,
  lastKey: 'select last_insert_id()',
  emptyRow: '() values ()',
  error(error) {
    const { errno, code } = codesOf(error);
    const [, attribute] = (error instanceof Error ? /column '([^']+)'/i.exec(error.message) : null) ?? [];
    return asConnectorError(error, {
      kind: errno === undefined ? undefined : MYSQL_CODES[errno],
      code: errno === undefined ? code : String(errno),
      attribute: attribute?.replaceAll('`', '').split('.').at(-1),
    });
  },
};

/** What a connection has that its own types do not tell. */
interface PacketReader {
  handlePacket(packet?: Packet): void;
  readonly sequenceId: number;
  readonly _paused?: unknown;
  readonly _command?: unknown;
}

function isPacketReader(connection: object): connection is PacketReader {
  return (
    'handlePacket' in connection &&
    typeof connection.handlePacket === 'function' &&
    'sequenceId' in connection &&
    typeof connection.sequenceId === 'number'
  );
}

interface Packet {
  readonly sequenceId: number;
}

/**
 * Packets that are out of order come of a server, or of somebody in between, that has lost its way: nothing more that comes can
 * be believed. The library would write a line of its own on our output and read on.
 */
function refuseDisorder(reader: object, socket: Duplex): void {
  if (!isPacketReader(reader)) throw new Error('The library for MySQL reads its packets in another way now');
  const handle = reader.handlePacket.bind(reader);
  reader.handlePacket = (packet) => {
    const isRead = packet !== undefined && !reader._paused && reader._command !== undefined;
    if (isRead && packet.sequenceId !== reader.sequenceId) {
      socket.destroy(new ConnectorError('protocol', 'Packets have come out of order'));
      return;
    }
    try {
      handle(packet);
    } catch (cause) {
      // Thrown out of a socket it would end the process.
      socket.destroy(
        new ConnectorError('protocol', 'What was answered is not the protocol of MySQL', { cause }),
      );
    }
  };
}

/** What the server has said has a number. */
function codesOf(error: unknown): { readonly errno?: number; readonly code?: string } {
  if (
    !(error instanceof Error) ||
    !('errno' in error) ||
    typeof error.errno !== 'number' ||
    error.errno < 1000
  )
    return {};
  return {
    errno: error.errno,
    ...('code' in error && typeof error.code === 'string' ? { code: error.code } : {}),
  };
}

function sessionOf(connection: Connection): SqlSession {
  return {
    async query(text, values = []) {
      const given = values.map((value) =>
        value instanceof Uint8Array ? Buffer.from(value) : typeof value === 'bigint' ? String(value) : value,
      );
      const [rows] = /^(?:begin|commit|rollback)$/.test(text)
        ? await connection.query(text)
        : await connection.execute(text, given);
      return Array.isArray(rows)
        ? rows.filter((row): row is unknown[] & typeof row => Array.isArray(row))
        : [];
    },
    end() {
      void connection.end().catch(() => {});
    },
  };
}
