import type { Database } from '#database/index.ts';
import { ConflictError } from '#errors/index.ts';
import { type Context, dbOf, type Router } from '#resource/index.ts';
import { type ItemKind, MOST_SHARED } from './item-kind.ts';
import { findCrowdedRole, type NewItem, roomFor } from './item-repository.ts';

export interface ItemPlatform {
  readonly database: Database;
  readonly router: Pick<Router, 'maySeeScripts'>;
}

/**
 * Looks whether there is room for an item as it is to be written, and keeps it until the transaction ends. Administrators share
 * with everybody however many others do.
 *
 * @param sharedWith the roles that see it until now. @throws ConflictError `PERSONAL_TOO_MANY`
 */
export async function requireRoom(
  platform: ItemPlatform,
  context: Context,
  kind: ItemKind,
  item: NewItem,
  sharedWith: readonly string[] = [],
): Promise<void> {
  const db = await dbOf(platform, context);
  const { name, most, mostTogether } = kind;
  const { count, bytes, shared, ownBytes } = await roomFor(db, kind, item);
  if (ownBytes === 0 && count >= most) {
    throw tooMany(`You have ${most} of kind '${name}', and no more are kept`, DELETE);
  }
  const size = Buffer.byteLength(JSON.stringify(item.data));
  if (size > ownBytes && bytes + size > mostTogether) {
    throw tooMany(`What you have of kind '${name}' would have more than ${mostTogether} bytes`, DELETE);
  }
  const roles = item.roles.filter((role) => !sharedWith.includes(role));
  if (roles.length === 0 || (await platform.router.maySeeScripts(context))) return;
  if (sharedWith.length === 0 && shared >= MOST_SHARED.byOwner) {
    throw tooMany(`You share ${MOST_SHARED.byOwner} views, and no more are shared`, 'Keep one to yourself');
  }
  const crowded = await findCrowdedRole(db, { ...item, roles }, MOST_SHARED.withRole);
  if (crowded === undefined) return;
  throw tooMany(
    `${MOST_SHARED.withRole} views are shared with '${crowded}', and no more are`,
    'Share it with another role, or have an administrator delete one that nobody needs',
  );
}

const DELETE = 'Delete one that you need no more';

function tooMany(message: string, hint: string): ConflictError {
  return new ConflictError(message, { id: 'PERSONAL_TOO_MANY', hint });
}
