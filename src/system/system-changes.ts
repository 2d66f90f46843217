import type { JsonObject } from '#json/index.ts';
import type { Capabilities, Entry, LATEST, Token } from './contract.ts';
import { compileObjectTypes, type SystemObjectType, type SystemProperty } from './object-type.ts';
import { objectOf } from './property-value.ts';
import { attributesFor, matching, wantedBy } from './query-objects.ts';
import { revisionOf } from './revision-of.ts';
import type { System } from './system.ts';
import type { Systems } from './systems.ts';
import { typeNamed } from './type-named.ts';

/** A type of objects of a system. */
interface Place {
  readonly system: string;
  readonly type: string;
}

/** What has become of an object of another system, as it is shown here. */
export type ObjectChange =
  | {
      readonly kind: 'upsert';
      readonly id: string;
      readonly object: JsonObject;
      /** Where ids are names, and it has got another one. */
      readonly previousId: string | undefined;
    }
  | {
      readonly kind: 'delete';
      readonly id: string;
      /** What it was at last; null where nobody knows. */
      readonly last: JsonObject | null;
    };

export interface ObjectBatch {
  readonly changes: readonly ObjectChange[];
  readonly token: Token;
  readonly isLast: boolean;
}

/** What other systems tell of the changes of their objects. */
export class SystemChanges {
  readonly #systems: Systems;

  constructor(systems: Systems) {
    this.#systems = systems;
  }

  /** All types of all systems that are not disabled, with the name that they have there. */
  get places(): readonly (Place & { readonly native: string })[] {
    return this.#systems.enabled.flatMap((config) =>
      [...compileObjectTypes(config).values()].map(({ name, native }) => ({
        system: config.name,
        type: name,
        native,
      })),
    );
  }

  /**
   * What can be had of the changes of the objects of a type.
   *
   * @throws NotFoundError `SYSTEM_NOT_FOUND`, `SYSTEM_NO_TYPE`; ServiceUnavailableError `SYSTEM_DISABLED`
   */
  async told(place: Place): Promise<Capabilities['changes']> {
    const { system } = await this.#find(place);
    return system.capabilities.changes;
  }

  /**
   * The changes since a token, with the properties that are shown by default and those that are named.
   *
   * @param mostAtOnce of changes in a batch
   * @throws ConflictError `SYSTEM_TOKEN_EXPIRED`, and what asking a system may come to
   */
  async *since(
    place: Place,
    token: Token | typeof LATEST,
    { named, mostAtOnce, signal }: { named: Iterable<string>; mostAtOnce: number; signal?: AbortSignal },
  ): AsyncGenerator<ObjectBatch, void, undefined> {
    const { system, type } = await this.#find(place);
    const isWanted = wantedWith(named);
    const attributes = attributesFor(type, isWanted);
    const shown = (entry: Entry) => shownEntry(system, type, entry, isWanted);
    for await (const batch of system.changes(type, token, { attributes, mostAtOnce }, signal)) {
      const changes: ObjectChange[] = [];
      for (const change of batch.changes) {
        if (change.kind === 'delete') {
          const last = change.last === undefined ? null : await shown(change.last);
          changes.push({ kind: 'delete', id: change.id, last });
        } else {
          const { entry, previousId } = change;
          changes.push({ kind: 'upsert', id: entry.id, object: await shown(entry), previousId });
        }
      }
      yield { ...batch, changes };
    }
  }

  /** All objects of a type, in the same form. */
  async *list(place: Place, named: Iterable<string>, signal?: AbortSignal): AsyncGenerator<JsonObject> {
    const { system, type } = await this.#find(place);
    const isWanted = wantedWith(named);
    const filter = { kind: 'literal', value: true } as const;
    for await (const { _id = null, ...content } of matching(system, type, { isWanted, filter }, signal)) {
      yield { _id, _rev: revisionOf(type, content), ...content };
    }
  }

  async #find(place: Place): Promise<{ readonly system: System; readonly type: SystemObjectType }> {
    const system = await this.#systems.named(place.system);
    return { system, type: typeNamed(system, place.type) };
  }
}

function wantedWith(named: Iterable<string>): (property: SystemProperty) => boolean {
  return wantedBy([['*'], ...[...new Set(named)].map((name) => [name])]);
}

async function shownEntry(
  { crypto }: System,
  type: SystemObjectType,
  entry: Entry,
  isWanted: (property: SystemProperty) => boolean,
): Promise<JsonObject> {
  const { _id = null, ...content } = await objectOf(crypto, type, entry, isWanted);
  return { _id, _rev: revisionOf(type, content), ...content };
}
