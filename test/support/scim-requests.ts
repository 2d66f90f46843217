import type { JsonObject, JsonValue } from '#json/index.ts';
import type { Connection } from '#resource/index.ts';

/** Requests for users and groups of SCIM, each of which may be made again and again. */
export async function scimRequests(connection: Connection) {
  let made = 0;
  const newUser = (more: JsonObject = {}) => {
    const userName = `scim${++made}`;
    const emails = [{ type: 'work', value: `${userName}@example.com` }];
    return { userName, name: { givenName: 'G', familyName: 'S' }, emails, ...more };
  };
  const create = async (endpoint: string, content: JsonObject) =>
    String((await connection.create(`scim/${endpoint}`, null, content)).id);
  const [one, other] = [await create('Users', newUser()), await create('Users', newUser())];
  const user = `scim/Users/${await create('Users', newUser({ manager: { value: one } }))}`;
  const group = `scim/Groups/${await create('Groups', { displayName: 'all', members: [{ value: one }] })}`;
  const replace = (path: string, field: string, value: JsonValue) =>
    connection.patch(path, null, [{ operation: 'replace', field: [field], value }]);
  const next = () => `next-${++made}`;
  return {
    'a user by id': () => connection.read(user),
    'a user by name': () =>
      connection.query('scim/Users', {
        queryId: 'scim',
        parameters: { filter: 'userName eq "SCIM1"' },
      }),
    'a new user': () => create('Users', newUser()),
    'a new user with an externalId': () => create('Users', newUser({ externalId: next() })),
    'a changed attribute': () => replace(user, 'emails[type eq "work"].value', `${next()}@example.com`),
    'another externalId': () => replace(user, 'externalId', next()),
    'another manager': () => replace(user, 'manager', { value: ++made % 2 === 0 ? one : other }),
    'a user as a whole': () => connection.update(user, null, newUser()),
    'a member more, and less': async () => {
      const members = [{ value: other }];
      await connection.patch(group, null, [{ operation: 'add', field: ['members'], value: members }]);
      await connection.patch(group, null, [{ operation: 'remove', field: ['members'], value: members }]);
    },
    'a group without its members': () =>
      connection.read(group, { parameters: { excludedAttributes: 'members' } }),
  };
}
