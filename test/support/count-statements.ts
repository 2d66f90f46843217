import pg from 'pg';

/** How many statements, by default those on objects and relationships, the server in this process makes meanwhile. */
export async function countStatements(
  work: () => Promise<unknown>,
  counted = /managed_object|relationship/,
): Promise<number> {
  const original = pg.Client.prototype.query;
  let statements = 0;
  pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
    const [first] = args;
    const text = typeof first === 'string' ? first : String((first as { text?: string } | undefined)?.text);
    if (counted.test(text)) statements += 1;
    return Reflect.apply(original, this, args);
  } as typeof original;
  try {
    await work();
    return statements;
  } finally {
    pg.Client.prototype.query = original;
  }
}
