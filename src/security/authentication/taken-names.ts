import type { AuthenticationConfig } from '#config/index.ts';
import type { Db } from '#database/index.ts';
import type { JsonObject } from '#json/index.ts';
import { nameIn } from './follow-accounts.ts';
import { type LoginName, listNamed } from './login-name-repository.ts';
import { isReserved, loginPlaces } from './login-places.ts';

/** An account that is to come from elsewhere. */
export interface ComingAccount {
  readonly collection: string;
  readonly id: string;
  readonly content: JsonObject;
}

/** A name that is not free, or one that looks the same. */
export interface TakenName {
  /** The account that would have it. */
  readonly id: string;
  /** Who has it; undefined for one that nobody may have. */
  readonly owner: Pick<LoginName, 'collection' | 'id'> | undefined;
}

/** Which of these would log in by a name that somebody else has here. */
export async function listTakenNames(
  db: Db,
  config: AuthenticationConfig,
  accounts: readonly ComingAccount[],
): Promise<readonly TakenName[]> {
  const places = loginPlaces(config);
  const names = accounts.flatMap(({ collection, id, content }) =>
    [...(places.propertiesOf.get(collection)?.names ?? [])].flatMap(
      (property) => nameIn(content, property, { collection, id }) ?? [],
    ),
  );
  if (names.length === 0) return [];
  const keys = [...new Set(names.map(({ key }) => key))];
  const owners = new Map((await listNamed(db, keys, keys.length)).map((owner) => [owner.key, owner]));
  return names.flatMap((name): readonly TakenName[] => {
    if (isReserved(places, name)) return [{ id: name.id, owner: undefined }];
    const owner = owners.get(name.key);
    const isOwn = owner === undefined || (owner.collection === name.collection && owner.id === name.id);
    return isOwn ? [] : [{ id: name.id, owner }];
  });
}
