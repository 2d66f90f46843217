import type { Crypto } from '#crypto/index.ts';
import type { ManagedTypes } from '#managed/index.ts';

export interface GivenHouse {
  /** The address of a database or of a server, or the path of a file. */
  readonly place: string;
  readonly password: string | undefined;
  /** The schema in Postgres. */
  readonly schema: string | undefined;
  /** The user who logs in at a server. */
  readonly user: string | undefined;
  /** The managed type that the rows of a CSV file are. */
  readonly type: string | undefined;
  /** The zone in which a process engine writes times, such as `Europe/Prague`; default UTC. */
  readonly zone?: string | undefined;
  /** The time from which on its audit comes, or `all`; undefined for none. */
  readonly audit?: string | undefined;
}

export interface HouseOptions {
  readonly types: ManagedTypes;
  readonly crypto: Pick<Crypto, 'decrypt'>;
  readonly projectLocation: string;
}
