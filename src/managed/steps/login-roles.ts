import type { Db } from '#database/index.ts';
import { isObject, type JsonValue } from '#json/index.ts';
import { waysOf } from '../derive/derivation.ts';
import type { ManagedPlatform } from '../managed-platform.ts';
import type { ManagedType } from '../managed-type.ts';
import { formatRef, type Target } from '../relationship/edge.ts';
import { listEdges } from '../relationship/edge-repository.ts';

/** A relationship by which accounts come to roles that they log in with. */
export interface LoginStep {
  /** The collection of the accounts. */
  readonly accounts: string;
  /** Where the relationship stands; null: wherever one of this name does, since what leads there may lead anywhere. */
  readonly at: string | null;
  readonly property: string;
  /** The relationships by which it goes on to the roles, from what this one leads to; none where that is the role. */
  readonly rest: readonly string[];
}

/** All steps, also where roles are read off relationships of relationships, such as those of groups. */
export function loginSteps(platform: Pick<ManagedPlatform, 'roleGrants' | 'types'>): readonly LoginStep[] {
  return [...platform.types.current().values()].flatMap((type) => {
    const accounts = `managed/${type.name}`;
    return loginWays(platform, type, accounts).flatMap((way) =>
      way.map((property, place) => ({
        accounts,
        at: place === 0 ? accounts : null,
        property,
        rest: way.slice(place + 1),
      })),
    );
  });
}

/** The collections of the roles that accounts log in with. */
export function roleCollections(
  platform: Pick<ManagedPlatform, 'roleGrants' | 'types'>,
): ReadonlySet<string> {
  const types = [...platform.types.current().values()];
  const last = loginSteps(platform).filter(({ rest }) => rest.length === 0);
  return new Set(
    last.flatMap(({ at, property }) =>
      types
        .filter(({ name }) => at === null || at === `managed/${name}`)
        .flatMap(({ relationships }) => relationships.get(property)?.collections ?? []),
    ),
  );
}

/** The relationships that lead from an account of a type to its roles, and to those of whom it may come in as. */
export function loginWays(
  platform: Pick<ManagedPlatform, 'roleGrants' | 'types'>,
  type: ManagedType,
  accounts: string,
): readonly (readonly string[])[] {
  const own = waysAt(platform, type, accounts);
  const link = platform.roleGrants.linkAt(accounts);
  const linked = link === undefined ? undefined : platform.types.at(link.leadsTo);
  if (link === undefined || linked === undefined || !type.relationships.has(link.property)) return own;
  return [...own, ...waysAt(platform, linked, link.leadsTo).map((way) => [link.property, ...way])];
}

function waysAt(
  { roleGrants }: Pick<ManagedPlatform, 'roleGrants'>,
  type: ManagedType,
  accounts: string,
): readonly (readonly string[])[] {
  return roleGrants.propertiesAt(accounts).flatMap((property) => {
    const { derivation = null, scripts } = type.compiled.get(property) ?? {};
    if (derivation !== null) return waysOf(derivation).map(({ path }) => path);
    if (scripts?.onRetrieve === undefined) return [[property]];
    // What a script calculates it may have read off any relationship of the account that leads to something else.
    const others = [...type.relationships.values()].filter(({ collections }) =>
      collections.some((collection) => collection !== accounts),
    );
    return [[property], ...others.map((other) => [other.property])];
  });
}

/** What stands at the end of a way from these, whether it is in effect now or not. */
export async function referencesBeyond(
  db: Db,
  from: readonly Target[],
  way: readonly string[],
): Promise<readonly string[]> {
  let ends = from;
  for (const property of way) {
    const next = new Map<string, Target>();
    for (const [collection, group] of Map.groupBy(ends, (end) => end.collection)) {
      const ids = group.map(({ id }) => id);
      for (const { target } of await listEdges(db, collection, ids, [property])) {
        next.set(formatRef(target), target);
      }
    }
    ends = [...next.values()];
  }
  return ends.map(formatRef);
}

/** Names of roles as they are read for those who log in: from a list, or from a text with commas. */
export function namesIn(value: JsonValue | undefined): readonly string[] {
  if (typeof value === 'string')
    return value
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '');
  if (!Array.isArray(value)) return [];
  return value.flatMap((role) => {
    const name = isObject(role) ? role['_ref'] : role;
    return typeof name === 'string' ? [name] : [];
  });
}
