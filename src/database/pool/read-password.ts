import type pg from 'pg';
import { forgetPasswordOf, passwordReaderOf } from '#config/index.ts';

/** What Postgres says where the password is wrong, or not good any more. */
const REFUSED = '28P01';

/** Has a client read its password when it connects, where the URL says where it is to be had. `pg` calls a function for it. */
export function readPasswordBy(client: pg.Client, url: string | undefined): void {
  const read = passwordReaderOf(url);
  if (read === undefined) return;
  const readOrLeave = async () => {
    try {
      return await read();
    } catch (error) {
      // `pg` would leave it open, and Postgres waits for a password for a minute: sessions that nobody has, at each attempt one.
      client.connection.stream.destroy();
      throw error;
    }
  };
  Object.assign(client, { password: readOrLeave });
  // Whoever asked for the session tries again, and begins with a password that is asked for anew.
  client.connection.on('errorMessage', ({ code }: { readonly code?: string }) => {
    if (code === REFUSED) forgetPasswordOf(url);
  });
}
