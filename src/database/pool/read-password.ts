import type pg from 'pg';
import { passwordReaderOf } from '#config/index.ts';

/** Has a client read its password when it connects, where the URL says that a file has it. `pg` calls a function for it. */
export function readPasswordBy(client: pg.Client, url: string | undefined): void {
  const read = passwordReaderOf(url);
  if (read !== undefined) Object.assign(client, { password: read });
}
