import type { Db, Transaction } from '../pool/database.ts';

/** The transaction with each statement told of before it is sent; its end is none. */
export function watched(transaction: Transaction, onStatement: (() => void) | undefined): Db {
  if (onStatement === undefined) return transaction;
  return transaction.withPlugin({
    transformQuery({ node }) {
      onStatement();
      return node;
    },
    transformResult: async ({ result }) => result,
  });
}
