import type { Database } from '#database/index.ts';

/**
 * The plans of all that a piece of work asks the database, one statement at a time.
 *
 * @param isKept as of statements that come again and again, whatever their values are
 */
export async function plansOf(
  database: Database,
  work: () => Promise<unknown>,
  isKept = false,
): Promise<string> {
  const log: string[] = [];
  const client = await database.pool.connect();
  await client.query(
    "load 'auto_explain'; set auto_explain.log_min_duration = 0; set auto_explain.log_level = notice",
  );
  if (isKept) await client.query('set plan_cache_mode = force_generic_plan');
  const listen = (notice: { readonly message?: string | undefined }) => log.push(String(notice.message));
  client.on('notice', listen);
  // The pool hands out again what was given back last.
  client.release();
  await work();
  client.off('notice', listen);
  await client.query('reset plan_cache_mode; reset auto_explain.log_min_duration');
  return log.join('\n');
}
