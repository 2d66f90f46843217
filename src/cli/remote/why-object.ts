import { isTable, say, showObject } from './output.ts';
import type { Asked } from './remote-command.ts';

/** What `/sync/why` tells of one mapping. */
interface Told {
  readonly mapping: string;
  readonly role: 'source' | 'target';
  readonly linkQualifier?: string;
  readonly why: string;
  readonly source?: string | null;
  readonly target?: string | null;
  readonly queue?: { readonly state: string; readonly attempt: number; readonly dueAt: string };
  readonly attributes?: readonly {
    readonly attribute: string;
    readonly rule: string;
    readonly source?: string;
  }[];
}

interface Answer {
  readonly resource: string;
  readonly mappings: readonly Told[];
}

/** `svc why object <path>`: why its targets are as they are, or why it is as a mapping has made it. */
export async function whyObject({ client, form, flags }: Asked, path: string): Promise<void> {
  const { mapping } = flags;
  const parameters = { resource: path, ...(typeof mapping === 'string' ? { mapping } : {}) };
  const answer = await client.resource<Answer>('sync').read('why', { parameters });
  if (!isTable(form)) return showObject(answer, form);
  say(answer.resource);
  for (const told of answer.mappings) sayOf(told);
}

function sayOf({ mapping, role, linkQualifier, why, source, target, queue, attributes = [] }: Told): void {
  const other = role === 'source' ? target : source;
  const qualifier = linkQualifier === undefined || linkQualifier === 'default' ? '' : ` (${linkQualifier})`;
  const link = other === undefined || other === null ? '' : `  ${role === 'source' ? 'to' : 'from'} ${other}`;
  say(`${mapping}${qualifier}${link}`);
  say(`  ${why}`);
  if (queue !== undefined) say(`  ${queue.state} since ${queue.attempt} failures, due ${queue.dueAt}`);
  for (const { attribute, rule, source: from } of attributes) {
    say(`  ${attribute.padEnd(24)} ${rule}${from === undefined ? '' : ` of ${from}`}`);
  }
}
