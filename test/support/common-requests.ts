import { type Connection, parseQueryFilter } from '#resource/index.ts';

/** Requests for managed users, each of which may be made again and again. */
export async function commonRequests({ connection }: { readonly connection: Connection }) {
  let made = 0;
  const newUser = (more: object = {}) => {
    const userName = `user${++made}`;
    return { userName, givenName: 'G', sn: 'S', mail: `${userName}@example.com`, ...more };
  };
  const create = async (collection: string, content: object) =>
    `${collection}/${String((await connection.create(collection, null, content as never)).id)}`;
  const roles: { _ref: string }[] = [];
  for (const name of ['one', 'two'])
    roles.push({ _ref: await create('managed/role', { name, description: name }) });
  const managers = [await create('managed/user', newUser()), await create('managed/user', newUser())];
  const related = (manager: number) => ({ roles, manager: { _ref: managers[manager] } });
  const user = await create('managed/user', newUser(related(0)));
  for (let n = 0; n < 30; n += 1) await create('managed/user', newUser(related(0)));
  const fields = (...names: string[]) => names.map((name) => name.split('/'));
  const page = (more: object) =>
    connection.query('managed/user', {
      queryFilter: parseQueryFilter('userName sw "user"'),
      pageSize: 20,
      ...more,
    } as never);
  const patch = (field: string, value: unknown) =>
    connection.patch(user, null, [{ operation: 'replace', field: [field], value: value as never }]);
  return {
    'a user by id': () => connection.read(user, { fields: fields('userName', 'mail') } as never),
    'a user with roles and manager': () =>
      connection.read(user, { fields: fields('*', 'roles/*', 'manager/*') } as never),
    'a page of 20 users': () => page({ fields: fields('userName', 'mail') }),
    'a page of 20 users with roles and manager': () => page({ fields: fields('*', 'roles/*', 'manager/*') }),
    'a new user': () => create('managed/user', newUser()),
    'a new user with two roles and a manager': () => create('managed/user', newUser(related(1))),
    'a changed property': () => patch('mail', `mail${++made}@example.com`),
    'another manager': () => patch('manager', { _ref: managers[++made % 2] }),
    'another name': () => patch('userName', `other${++made}`),
    'a new user, and a user less': async () =>
      connection.delete(await create('managed/user', newUser()), null),
  };
}
