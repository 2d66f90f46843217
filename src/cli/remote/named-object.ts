import { type Client, filter, NotFoundError } from '#client/index.ts';
import { UsageError } from '../usage-error.ts';

/** Finds an object by its id, else by what it is called. */
export async function idOf(client: Client, type: 'role' | 'user', name: string): Promise<string> {
  const objects = client.managed(type);
  try {
    return (await objects.read(name, { fields: ['_id'] }))._id;
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
    const called = type === 'user' ? filter`userName eq ${name}` : filter`name eq ${name}`;
    const found: string[] = [];
    for await (const { _id } of objects.query({ filter: called, fields: ['_id'], pageSize: 2 }))
      found.push(_id);
    const [id, other] = found;
    if (id === undefined) throw error;
    if (other !== undefined)
      throw new UsageError(`several are called '${name}': ${id}, ${other}; name one by its id`);
    return id;
  }
}
