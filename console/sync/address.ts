/** Where the console shows a resource, such as `managed/user/avo`; undefined of what it has no page for. */
export function addressOf(resource: string): string | undefined {
  const [room, ...rest] = resource.split('/');
  const [first = '', second = '', ...id] = rest;
  if (id.length === 0) {
    return room === 'managed' && second !== '' ? `/objects/${part(first)}/${part(second)}` : undefined;
  }
  // Ids of other systems may have slashes.
  return room === 'system' ? `/systems/${part(first)}/${part(second)}/${part(id.join('/'))}` : undefined;
}

function part(text: string): string {
  return encodeURIComponent(text);
}
