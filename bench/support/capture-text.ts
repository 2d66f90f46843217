import type { Db } from '#database/index.ts';
import { compiledStatement } from './compiled-statement.ts';

/**
 * The text of the statement that the product would send, with the variables of a pgbench script in place of its parameters.
 *
 * @param standIns which variable stands for which value
 */
export async function captureText(
  standIns: ReadonlyMap<unknown, string>,
  act: (db: Db) => Promise<unknown>,
): Promise<string> {
  const made = await compiledStatement(act);
  return (made?.sql ?? '').replaceAll(/\$(\d+)/g, (_, number) => {
    const value = made?.parameters[Number(number) - 1];
    const variable = standIns.get(value);
    if (variable === undefined) throw new Error(`The parameter ${String(value)} is not known here`);
    return variable;
  });
}
