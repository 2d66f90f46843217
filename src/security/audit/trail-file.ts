import { createHash } from 'node:crypto';
import type { Db } from '#database/index.ts';
import type { AuditTopic } from './audit-event.ts';
import type { AuditKeys } from './audit-keys.ts';
import { TrailChecker } from './check-trail.ts';
import { isSeal, readOldEntries, readTrail } from './read-trail.ts';
import type { StoredEntry } from './stored-entry.ts';
import { trailLineSchema } from './trail-file-schema.ts';
import type { TrailRange } from './trail-repository.ts';
import { findLastSeal, findSealedSince } from './trusted-seal.ts';

/**
 * The lines of an export: what was asked for, entries, each with the seal that covers it somewhere behind it, and a signed
 * end. Of other topics than the one asked for there is the signature alone, because chains cannot be followed without it.
 */
export async function* exportLines(
  db: Db,
  keys: AuditKeys,
  range: TrailRange,
  topic: AuditTopic | undefined,
): AsyncGenerator<string> {
  const hash = createHash('sha256');
  for await (const value of exported(db, keys, range, topic)) {
    const line = lineOf(value);
    hash.update(`${line}\n`);
    yield line;
  }
  const digest = hash.digest('hex');
  yield JSON.stringify({ kind: 'end', digest, signature: keys.sign(endText(digest)) });
}

async function* exported(
  db: Db,
  keys: AuditKeys,
  range: TrailRange,
  topic: AuditTopic | undefined,
): AsyncGenerator<{ readonly kind: string; readonly [member: string]: unknown }> {
  const sealedSince = await findSealedSince(db, keys, (await findLastSeal(db, keys)).number);
  const { from = null, to = null } = range;
  yield { kind: 'trail', version: 1, from, to, topic: topic ?? null };
  for await (const entry of readOldEntries(db, { ...range, sealedSince }, topic)) {
    yield { kind: 'entry', sealed: false, ...entry };
  }
  for await (const item of readTrail(db, range)) {
    if (isSeal(item)) {
      const { seal, number } = item;
      yield seal === undefined ? { kind: 'unsound', number } : { kind: 'seal', ...seal };
    } else {
      const isWanted = topic === undefined || item.topic === topic;
      yield { kind: 'entry', ...(isWanted ? item : withheld(item)) };
    }
  }
}

/** What is deeper than the stack is none of ours: its signature shows that. */
function lineOf(value: object): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return JSON.stringify({ ...value, event: null });
  }
}

function withheld({ id, topic, recordedAt, node, signature }: StoredEntry): object {
  return { id, topic, recordedAt, node, signature };
}

function endText(digest: string): string {
  return JSON.stringify(['end of an export', digest]);
}

/** A seal covers far fewer; a file that goes on without one is none of ours. */
const MOST_ENTRIES = 20_000;

/** Checks an export without a database. @param lines of the file */
export async function verifyFile(lines: AsyncIterable<string>, keys: AuditKeys): Promise<TrailChecker> {
  const checker = new TrailChecker(keys, { isPart: true });
  const hash = createHash('sha256');
  let hasEnded = false;
  let number = 0;
  let waiting = 0;
  for await (const text of lines) {
    number += 1;
    const line = hasEnded || waiting > MOST_ENTRIES ? undefined : parse(text);
    if (line === undefined) {
      checker.find({ kind: 'file', message: `line ${number} is no line of an export` });
      return checker;
    }
    if (line.kind === 'end') {
      hasEnded = true;
      const digest = hash.digest('hex');
      if (digest !== line.digest || keys.check(endText(digest), line.signature) !== 'right')
        checker.find({
          kind: 'file',
          message: 'the file was changed: its end does not fit the lines before',
        });
      continue;
    }
    hash.update(`${text}\n`);
    if (line.kind === 'entry' && line.sealed) waiting = checker.addEntry(line as StoredEntry);
    if (line.kind === 'unsound') checker.addUnsound(line.number);
    if (line.kind !== 'seal') continue;
    checker.addSeal(line);
    waiting = 0;
  }
  if (!hasEnded) checker.find({ kind: 'file', message: 'the file was cut off: its end is missing' });
  return checker;
}

function parse(text: string) {
  try {
    return trailLineSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
