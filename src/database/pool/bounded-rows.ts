import type pg from 'pg';
import { answerTooLarge } from '#errors/index.ts';
import { failStatement, statementOf, wireOf } from '../wire/pg-client.ts';

/**
 * Ends a statement that answers with more than the memory is for. Rows are counted as they come; beyond the bound nobody
 * keeps them, and Postgres is asked to send no more.
 *
 * @param cancel has Postgres cancel what the client waits for; resolves when it has been told, so that it cancels nothing else
 */
export function boundRows(
  client: pg.ClientBase,
  mostBytes: number,
  cancel: (client: pg.ClientBase) => Promise<void>,
): void {
  let counted: object | null = null;
  let left = mostBytes;
  wireOf(client).prependListener('dataRow', ({ length }) => {
    const statement = statementOf(client);
    if (statement !== counted) {
      counted = statement;
      left = mostBytes;
    }
    const isFirstTooMuch = left >= 0 && length > left;
    left -= length;
    if (isFirstTooMuch) failStatement(client, answerTooLarge(mostBytes), cancel(client));
  });
}
