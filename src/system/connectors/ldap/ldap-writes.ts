import type { Client } from 'ldapts';
import { type AttributeDelta, type Attributes, ConnectorError, NAME, PASSWORD, UID } from '../../contract.ts';
import { isActiveDirectory, withControl } from './active-directory.ts';
import { GroupMembership } from './group-membership.ts';
import type { LdapConfiguration } from './ldap-configuration.ts';
import type { LdapConnections } from './ldap-connections.ts';
import { changesOf, newAttributes } from './ldap-entry.ts';
import { isResult } from './ldap-error-table.ts';
import { modifyEntry } from './modify-entry.ts';
import { modifyPassword, PASSWORD_MODIFY, passwordIn, passwordOf } from './password-modify.ts';
import { RootEntry } from './root-entry.ts';

interface Parts {
  readonly connections: LdapConnections;
  readonly configuration: LdapConfiguration;
  readonly bases: readonly string[];
}

/** What is written to a directory, entry by entry. */
export class LdapWrites {
  readonly #parts: Parts;
  readonly #root: RootEntry;
  readonly #groups: GroupMembership | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    const { connections, bases, configuration } = parts;
    this.#root = new RootEntry(connections);
    const { maintainLdapGroupMembership, groupMemberAttribute } = configuration;
    // Active Directory sees to it.
    if (maintainLdapGroupMembership && !isActiveDirectory(configuration)) {
      this.#groups = new GroupMembership({ connections, bases, attribute: groupMemberAttribute });
    }
  }

  async add(
    name: string,
    attributes: Attributes,
    classes: readonly string[],
    signal: AbortSignal,
  ): Promise<void> {
    const { connections, configuration } = this.#parts;
    const password = passwordOf(attributes);
    const isSet = password !== undefined && (await this.#setsPasswords(signal));
    const given = isSet ? new Map([...attributes].filter(([one]) => one !== PASSWORD)) : attributes;
    const all = newAttributes(name, given, classes, configuration);
    await connections.use(signal, async (client) => {
      await client.add(name, all);
      if (isSet) await setFirstPassword(client, name, password);
    });
  }

  /** The password comes last: what is tried again for the sake of something else would set it again, which policies refuse. */
  async change(
    from: string,
    name: string,
    deltas: readonly AttributeDelta[],
    before: Attributes,
    signal: AbortSignal,
  ): Promise<void> {
    const { connections, configuration } = this.#parts;
    const password = passwordIn(deltas);
    const isSet = password !== undefined && (await this.#setsPasswords(signal));
    const others = deltas.filter(
      ({ name: one }) => one !== NAME && one !== UID && !(isSet && one === PASSWORD),
    );
    const changes = changesOf(withControl(configuration, others, before), configuration);
    const groups = name === from ? [] : await this.#groupsOf(from, signal);
    await connections.use(signal, async (client) => {
      if (name !== from) {
        if (this.#groups === undefined) await client.modifyDN(from, name);
        else await this.#groups.rename(client, { from, to: name, groups });
      }
      if (changes.length > 0) await modifyEntry(client, name, changes);
      if (isSet) await modifyPassword(client, name, password);
    });
  }

  async remove(name: string, signal: AbortSignal): Promise<void> {
    const groups = await this.#groupsOf(name, signal);
    await this.#parts.connections.use(signal, async (client) => {
      const work = async () => {
        try {
          await client.del(name);
        } catch (error) {
          if (!isResult(error, 32)) throw error;
        }
      };
      if (this.#groups === undefined) await work();
      else await this.#groups.remove(client, name, groups, work);
    });
  }

  async #groupsOf(name: string, signal: AbortSignal): Promise<readonly string[]> {
    return (await this.#groups?.groupsOf(name, signal)) ?? [];
  }

  /** Else passwords are values like others, which most directories keep as they come. */
  async #setsPasswords(signal: AbortSignal): Promise<boolean> {
    const { configuration } = this.#parts;
    if (!configuration.passwordModify || isActiveDirectory(configuration)) return false;
    return this.#root.knows(PASSWORD_MODIFY, signal);
  }
}

/** An entry whose password is refused is taken away again. */
async function setFirstPassword(client: Client, name: string, password: string): Promise<void> {
  try {
    await modifyPassword(client, name, password);
  } catch (error) {
    if (!client.isConnected) throw error;
    await client.del(name).catch((cause: unknown) => {
      throw new ConnectorError(
        'protocol',
        `'${name}' was made without its password, and cannot be taken away`,
        {
          cause,
        },
      );
    });
    throw error;
  }
}
