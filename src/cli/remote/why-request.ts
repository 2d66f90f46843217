import { asFilter, filter, type JsonObject, NotFoundError } from '#client/index.ts';
import { EXIT } from '../command.ts';
import { tellError } from '../tell-error.ts';
import { logLine } from './log-line.ts';
import { isTable, say, showObject } from './output.ts';
import type { Asked } from './remote-command.ts';
import { readTree, showBranch } from './transaction-tree.ts';

const MOST_LINES = 200;

/** `svc why request <id>`: by the id that an answer, an error or the log has. */
export async function whyRequest(asked: Asked, id: string): Promise<number> {
  const { client, form } = asked;
  const tree = await readTree(client, id).catch((error: unknown) => {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  });
  const same = ['requestId', 'transaction', 'run'].map((name) => `${name} eq ${filter`${id}`.text}`);
  const lines: JsonObject[] = [];
  const query = { filter: asFilter(same.join(' or ')), sort: ['-_id'], pageSize: MOST_LINES };
  for await (const line of client.resource('log').query(query)) {
    lines.push(line);
    if (lines.length >= MOST_LINES) break;
  }
  lines.reverse();
  if (tree === undefined && lines.length === 0) {
    tellError(asked.isMachineRead, {
      message: `svc why: neither the audit nor the log of this node knows a request '${id}'`,
      hint: 'A node keeps its last 10,000 lines; svc logs --request asks another one with --url',
    });
    return EXIT.NOT_FOUND;
  }
  if (!isTable(form)) showObject({ _id: id, ...tree, log: lines }, form);
  else {
    if (tree !== undefined) showBranch(tree, '');
    for (const line of lines) say(logLine(line));
  }
  return EXIT.OK;
}
