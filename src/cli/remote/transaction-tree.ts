import type { Client } from '#client/index.ts';
import { say } from './output.ts';

/** What one request caused: the entries of the audit, and the requests that came of it. */
export interface Branch {
  readonly transaction: string;
  readonly entries?: readonly Readonly<Record<string, unknown>>[];
  readonly children?: readonly Branch[];
}

export function showBranch({ transaction, entries = [], children = [] }: Branch, indent: string): void {
  say(`${indent}${transaction}`);
  for (const { timestamp, topic, userId, operation, objectId } of entries) {
    const facts = [timestamp, topic, userId, operation, objectId];
    say(`${indent}  ${facts.filter((fact) => typeof fact === 'string').join('  ')}`);
  }
  for (const child of children) showBranch(child, `${indent}  `);
}

export function readTree(client: Client, id: string): Promise<Branch> {
  return client.send({ method: 'GET', path: ['audit', 'transaction', ...id.split('/')] });
}
