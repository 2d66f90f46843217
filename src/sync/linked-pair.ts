import { randomUUID } from 'node:crypto';
import { type Db, isTaken } from '#database/index.ts';
import { ConflictError } from '#errors/index.ts';
import {
  deleteLink,
  findLink,
  insertLink,
  type LinkEnd,
  type LinkRow,
  type LinkSide,
  listLinksOf,
  updateLink,
} from './link-repository.ts';
import type { LinkType, Mapping } from './mapping.ts';

/** A link as a mapping sees it. */
export interface LinkedPair {
  readonly row: LinkRow;
  readonly sourceId: string;
  readonly targetId: string;
}

type End = 'source' | 'target';

/** The link of an object, by the end of the mapping at which it stands. */
export async function findPair(
  db: Db,
  { linkType }: Mapping,
  qualifier: string,
  end: End,
  id: string,
): Promise<LinkedPair | undefined> {
  const side = sideOf(linkType, end);
  const row = await findLink(db, {
    linkType: linkType.name,
    qualifier,
    side,
    end: endOf(linkType, side, id),
  });
  return row && asPair(linkType, row);
}

/** All links of an object, whatever their qualifiers. */
export async function listPairs(
  db: Db,
  { linkType }: Mapping,
  end: End,
  id: string,
): Promise<readonly LinkedPair[]> {
  const side = sideOf(linkType, end);
  const rows = await listLinksOf(db, { linkType: linkType.name, side, end: endOf(linkType, side, id) });
  return rows.map((row) => asPair(linkType, row));
}

/** @throws ConflictError `SYNC_LINKED_ELSEWHERE` when one of the two has another link */
export async function makeLink(
  db: Db,
  mapping: Mapping,
  qualifier: string,
  sourceId: string,
  targetId: string,
): Promise<void> {
  const link = { id: randomUUID(), ...linkOf(mapping.linkType, qualifier, sourceId, targetId) };
  if ((await insertLink(db, link)) === undefined) throw linkedElsewhere(mapping, targetId);
}

/** Leads the link of a source to another target. */
export async function moveLink(
  db: Db,
  mapping: Mapping,
  { row, sourceId }: LinkedPair,
  targetId: string,
): Promise<void> {
  const link = { id: row.id, ...linkOf(mapping.linkType, row.qualifier, sourceId, targetId) };
  try {
    await updateLink(db, link, row.rev);
  } catch (error) {
    throw isTaken(error) ? linkedElsewhere(mapping, targetId) : error;
  }
}

/** Has the link of a source follow it to the name that it has got. */
export async function moveSource(
  db: Db,
  mapping: Mapping,
  { row, targetId }: LinkedPair,
  sourceId: string,
): Promise<void> {
  const link = { id: row.id, ...linkOf(mapping.linkType, row.qualifier, sourceId, targetId) };
  try {
    await updateLink(db, link, row.rev);
  } catch (error) {
    throw isTaken(error) ? linkedElsewhere(mapping, targetId) : error;
  }
}

export async function removeLink(db: Db, { row }: LinkedPair): Promise<void> {
  await deleteLink(db, row.id, row.rev);
}

export function endsOf(linkType: LinkType, firstId: string, secondId: string) {
  return { first: endOf(linkType, 'first', firstId), second: endOf(linkType, 'second', secondId) };
}

function linkOf(linkType: LinkType, qualifier: string, sourceId: string, targetId: string) {
  const [firstId, secondId] = linkType.isReversed ? [targetId, sourceId] : [sourceId, targetId];
  return { linkType: linkType.name, qualifier, ...endsOf(linkType, firstId, secondId) };
}

function asPair({ isReversed }: LinkType, row: LinkRow): LinkedPair {
  const [sourceId, targetId] = isReversed ? [row.second_id, row.first_id] : [row.first_id, row.second_id];
  return { row, sourceId, targetId };
}

export function sideOf({ isReversed }: LinkType, end: End): LinkSide {
  return (end === 'source') === isReversed ? 'second' : 'first';
}

function endOf({ firstCaseSensitive, secondCaseSensitive }: LinkType, side: LinkSide, id: string): LinkEnd {
  return { id, isCaseSensitive: side === 'first' ? firstCaseSensitive : secondCaseSensitive };
}

function linkedElsewhere({ linkType, target }: Mapping, targetId: string): ConflictError {
  return new ConflictError(
    `'${target}/${targetId}' has another link of the type '${linkType.name}' already`,
    {
      id: 'SYNC_LINKED_ELSEWHERE',
      hint: 'Links are below repo/link, where a wrong one can be deleted',
    },
  );
}
