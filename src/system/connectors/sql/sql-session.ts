import type { Socket } from 'node:net';
import type { Secret } from '../../contract.ts';

export type SqlValue = string | number | bigint | boolean | Uint8Array | null;
export type SqlRow = readonly unknown[];

export interface SqlLogin {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string | undefined;
  readonly password: Secret | undefined;
  /** Undefined: without TLS. */
  readonly tls: { readonly ca?: string } | undefined;
}

/** A connection that is logged in. */
export interface SqlSession {
  /** Values are bound; rows come as lists of the columns. */
  query(text: string, values?: readonly SqlValue[]): Promise<readonly SqlRow[]>;
  /** Says goodbye, and does not wait for an answer. */
  end(): void;
}

/** How a column can be compared; `other`: by what the database knows and this connector does not. */
export type ColumnKind = 'text' | 'integer' | 'decimal' | 'real' | 'boolean' | 'uuid' | 'binary' | 'other';

export interface Column {
  readonly name: string;
  readonly kind: ColumnKind;
  readonly isNullable: boolean;
  /** The database fills it in when nothing is said. */
  readonly hasDefault: boolean;
  /** The database alone fills it in. */
  readonly isGenerated: boolean;
}

/** A value in a statement, and the kind of column that it is compared with. */
export interface Bound {
  readonly value: SqlValue;
  readonly kind: ColumnKind;
}

/** A piece of a statement. */
export type Part = string | Bound;

export function rendered(
  dialect: Pick<Dialect, 'parameter'>,
  parts: readonly Part[],
): { readonly text: string; readonly values: readonly SqlValue[] } {
  const values: SqlValue[] = [];
  const texts = parts.map((part) =>
    typeof part === 'string' ? part : dialect.parameter(values.push(part.value), part.kind),
  );
  return { text: texts.join(''), values };
}

/** What differs from one database to the other. */
export interface Dialect {
  open(login: SqlLogin, socket: Socket): Promise<SqlSession>;
  quote(name: string): string;
  /** The place of the value with this number, from 1, that is compared with a column of this kind. */
  parameter(number: number, kind: ColumnKind): string;
  /** The columns of a table, of the schema in use where none is named. */
  readonly columns: string;
  column(row: SqlRow): Column;
  /** The condition that a key has just this value, by characters. */
  sameKey(column: string, id: Bound): readonly Part[];
  boolean(column: string, value: boolean): string;
  /** A statement that makes a row, and where its key is told. */
  readonly insertReturning: boolean;
  readonly lastKey: string;
  readonly emptyRow: string;
  error(error: unknown): unknown;
}
