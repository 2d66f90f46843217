import { Attribute, Change, type Client, EqualityFilter } from 'ldapts';
import { ConnectorError } from '../../contract.ts';
import type { LdapConnections } from './ldap-connections.ts';
import { asConnectorError } from './ldap-error-table.ts';
import { modifyEntry } from './modify-entry.ts';
import { pagedSearch } from './paged-search.ts';

interface Parts {
  readonly connections: LdapConnections;
  readonly bases: readonly string[];
  readonly attribute: string;
}

const PAGE_SIZE = 500;

/** Groups that follow the name of an entry, where the directory does not see to that itself. */
export class GroupMembership {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The names of the groups that an entry is in. */
  async groupsOf(name: string, signal: AbortSignal): Promise<readonly string[]> {
    const { connections, bases, attribute } = this.#parts;
    const groups: string[] = [];
    for (const base of bases) {
      const pages = pagedSearch(connections, signal, base, {
        attributes: ['1.1'],
        pageSize: PAGE_SIZE,
        filter: new EqualityFilter({ attribute, value: name }),
      });
      for await (const entries of pages) groups.push(...entries.map(({ dn }) => dn));
    }
    return groups;
  }

  /**
   * Renames an entry: its groups have it by both names meanwhile, so that it is in all of them whatever fails. Before anything is
   * renamed, whoever refuses has refused.
   */
  async rename(
    client: Client,
    { from, to, groups }: { readonly from: string; readonly to: string; readonly groups: readonly string[] },
  ): Promise<void> {
    await this.#withAll(client, groups, { does: 'add', member: to }, () => client.modifyDN(from, to));
    // To the directory both may be the same name, written in another way.
    for (const group of groups)
      await this.#change(client, group, [
        ['delete', from],
        ['add', to],
      ]);
  }

  /** Has its groups leave out an entry, and then takes it away. A group that would be left without a member refuses it. */
  async remove(
    client: Client,
    name: string,
    groups: readonly string[],
    work: () => Promise<void>,
  ): Promise<void> {
    await this.#withAll(client, groups, { does: 'delete', member: name }, work);
  }

  /** Does something with all groups and then something else, or nothing of both as far as that can be taken back. */
  async #withAll(
    client: Client,
    groups: readonly string[],
    { does, member }: { readonly does: 'add' | 'delete'; readonly member: string },
    work: () => Promise<void>,
  ): Promise<void> {
    const done: string[] = [];
    try {
      for (const group of groups) {
        await this.#change(client, group, [[does, member]]);
        done.push(group);
      }
      await work();
    } catch (error) {
      const back = does === 'add' ? 'delete' : 'add';
      for (const group of done) await this.#change(client, group, [[back, member]]).catch(() => {});
      throw error;
    }
  }

  async #change(
    client: Client,
    group: string,
    steps: readonly (readonly ['add' | 'delete', string])[],
  ): Promise<void> {
    const changes = steps.map(([operation, member]) => {
      const modification = new Attribute({ type: this.#parts.attribute, values: [member] });
      return new Change({ operation, modification });
    });
    try {
      await modifyEntry(client, group, changes);
    } catch (error) {
      const told = asConnectorError(error);
      if (!(told instanceof ConnectorError) || told.kind === 'unavailable') throw error;
      // It is gone meanwhile.
      if (told.kind === 'notFound') return;
      const { nativeCode, attribute } = told;
      throw new ConnectorError(told.kind, `The group '${group}' cannot follow: ${told.message}`, {
        cause: error,
        ...(nativeCode === undefined ? {} : { nativeCode }),
        ...(attribute === undefined ? {} : { attribute }),
      });
    }
  }
}
