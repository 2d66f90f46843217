import type { Database } from '#database/index.ts';
import { deleteFormerOwner, isOwner, putOwner } from './owner-repository.ts';

/**
 * Notes who comes in as owners whom the database does not know by itself, once for each configuration: the next one that is
 * called so may be somebody else.
 */
export class KnownOwners {
  readonly #database: Pick<Database, 'db'>;
  readonly #noted = new Map<string, string>();

  constructor(database: Pick<Database, 'db'>) {
    this.#database = database;
  }

  /** Somebody of an issuer, or of a proxy. @param component what they own is kept under it */
  async note(component: string, toldBy: string): Promise<void> {
    if (await this.#isNoted(component, toldBy)) return;
    await putOwner(this.#database.db, component, toldBy);
    this.#noted.set(component, toldBy);
  }

  /**
   * A key. What another key of its id has kept is forgotten first.
   *
   * @param same those of its id that hold now, as when a program is given another one
   */
  async replace(owner: string, key: string, same: readonly string[]): Promise<void> {
    if (await this.#isNoted(owner, key)) return;
    await deleteFormerOwner(this.#database.db, owner, [key, ...same]);
    await putOwner(this.#database.db, owner, key);
    this.#noted.set(owner, key);
  }

  async #isNoted(owner: string, toldBy: string): Promise<boolean> {
    if (this.#noted.get(owner) === toldBy) return true;
    if (!(await isOwner(this.#database.db, owner, toldBy))) return false;
    this.#noted.set(owner, toldBy);
    return true;
  }
}
