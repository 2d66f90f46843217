import type { Crypto } from '#crypto/index.ts';
import type { ManagedTypes } from '#managed/index.ts';

export interface GivenHouse {
  /** The address of a database or of a server, or the path of a file. */
  readonly place: string;
  readonly password: string | undefined;
  /** Of Postgres. */
  readonly schema: string | undefined;
  /** Of a server. */
  readonly user: string | undefined;
  /** Of a CSV file: the managed type that its rows are. */
  readonly type: string | undefined;
  /** Of a process engine: in which it writes times, such as `Europe/Prague`; default UTC. */
  readonly zone?: string | undefined;
  /** From when on its audit comes: a time, or `all`; undefined for none. */
  readonly audit?: string | undefined;
}

export interface HouseOptions {
  readonly types: ManagedTypes;
  readonly crypto: Pick<Crypto, 'decrypt'>;
  readonly projectLocation: string;
}
