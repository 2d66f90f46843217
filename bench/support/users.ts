import { onServer } from './postgres.ts';

/** A managed type without hooks, so that a read is handled where it arrives. */
export const USER_TYPE = {
  'conf/managed.json': {
    objects: [
      {
        name: 'user',
        schema: {
          type: 'object',
          properties: {
            userName: { type: 'string', searchable: true },
            givenName: { type: 'string' },
            sn: { type: 'string' },
            mail: { type: 'string' },
          },
        },
      },
    ],
  },
};

export const USERS = 10_000;

/** Path of the REST interface of each user. */
export const USER_PATHS = Array.from({ length: USERS }, (_, n) => `/svc/managed/user/user-${n + 1}`);

/** Puts users of some 400 bytes in place. */
export async function fillUsers(url: string, count = USERS): Promise<void> {
  await onServer(
    url,
    `insert into managed_object (type, id, data)
     select 'user', 'user-' || n, jsonb_build_object(
       'userName', 'user' || n, 'givenName', 'Given ' || n, 'sn', 'Name ' || n,
       'mail', 'user' || n || '@example.com', 'telephoneNumber', '+1 555 ' || n,
       'accountStatus', 'active', 'description', repeat('x', 100), 'employeeNumber', n,
       'address', jsonb_build_object('street', n || ' Long Street', 'city', 'Springfield', 'country', 'US'),
       'roles', jsonb_build_array('employee', 'printer'))
     from generate_series(1, ${count}) n;
     analyze managed_object`,
  );
}

/** One user as the REST interface answers with it. */
export async function sampleUser(url: string): Promise<string> {
  const [row] = await onServer<{ body: string }>(
    url,
    `select (jsonb_build_object('_id', id, '_rev', rev::text) || data)::text as body
     from managed_object where type = 'user' limit 1`,
  );
  return JSON.stringify(JSON.parse(row!.body));
}
