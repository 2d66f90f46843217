import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Settings } from '#config/index.ts';
import { systemCodeOf } from '#errors/index.ts';
import {
  type AuditKeys,
  type AuditTopic,
  exportLines,
  type TrailFinding,
  type TrailHead,
  type TrailRange,
  verifyAudit,
  verifyFile,
} from '#security/index.ts';
import { type Command, EXIT } from './command.ts';
import { tell } from './told.ts';
import { complain } from './typed-name.ts';
import { withDatabase } from './with-database.ts';

export interface TrailTask {
  readonly settings: Settings;
  readonly keys: AuditKeys;
  readonly range: TrailRange;
  readonly flags: Parameters<Command['run']>[0];
}

/** `svc audit export`: as fast as it is read, and never more than a page in memory. */
export function exportAudit(task: TrailTask, topic: AuditTopic | undefined): Promise<number> {
  return withDatabase(task.settings, 'svc audit export', async ({ db }) => {
    const lines = exportLines(db, task.keys, task.range, topic);
    await pipeline(Readable.from(withNewlines(lines)), process.stdout, { end: false });
    return EXIT.OK;
  });
}

async function* withNewlines(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) yield `${line}\n`;
}

/** `svc audit verify` */
export function verifyDatabase(task: TrailTask, noted: TrailHead | undefined): Promise<number> {
  return withDatabase(task.settings, 'svc audit verify', async ({ db }) => {
    const { head, waiting, old, ...checked } = await verifyAudit(db, task.keys, task.range, noted);
    const facts = {
      ...checked,
      head: head === null ? null : `${head.number}:${head.signature}`,
      waiting,
      old,
    };
    const notes = [
      ...(waiting === 0 ? [] : [`${waiting} entries wait for their seal.`]),
      ...(old === 0 ? [] : [`${old} entries are older than the first seal: nothing is known about them.`]),
      ...(facts.head === null ? [] : [`Head: ${facts.head}`]),
    ];
    return tellOutcome(task, facts, notes);
  });
}

/** `svc audit verify --file` */
export async function verifyExport(task: TrailTask, file: string): Promise<number> {
  const lines = createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY });
  try {
    const { entries, seals, chains, count, findings } = await verifyFile(lines, task.keys);
    return tellOutcome(task, { entries, seals, chains, count, findings }, []);
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === undefined) throw error;
    complain(`svc audit: ${file} cannot be read (${code})`);
    return EXIT.FINDING;
  }
}

interface Outcome {
  readonly entries: number;
  readonly seals: number;
  readonly chains: number;
  readonly count: number;
  readonly findings: readonly TrailFinding[];
}

function tellOutcome({ flags }: TrailTask, outcome: Outcome, notes: readonly string[]): number {
  const { entries, seals, chains, count, findings } = outcome;
  tell(flags, { intact: count === 0, ...outcome }, () => {
    const verdict = `${count} ${count === 1 ? 'finding' : 'findings'}, of which the first stands at the top.`;
    return [
      ...findings.map(({ message }) => message),
      ...(count > findings.length ? [`… and ${count - findings.length} more`] : []),
      `Looked at ${entries} entries under ${seals} seals in ${chains} chains.`,
      ...notes,
      count === 0 ? 'The trail is as it was written.' : verdict,
    ].join('\n');
  });
  return count === 0 ? EXIT.OK : EXIT.FINDING;
}
