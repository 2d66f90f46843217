/** A place in the log of the primary: what was committed until then is before it. On different timelines places cannot be compared. */
export interface LogPosition {
  readonly timeline: number;
  readonly lsn: string;
}

/** The timeline on which the primary writes, for a column of type `pg_lsn`. */
export function timelineOf(lsn: string): string {
  return `('x' || substr(pg_walfile_name(${lsn}), 1, 8))::bit(32)::int`;
}

/** The position in bytes. */
export function bytesAt(lsn: string): bigint {
  const [high = '0', low = '0'] = lsn.split('/');
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`);
}
