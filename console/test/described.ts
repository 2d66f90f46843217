import type { TestServer } from '../../test/support/server.ts';

/** What the server says that it can be asked, in its own description. @returns whether a request such as `GET managed/user` is in it */
export async function describedBy({ url }: Pick<TestServer, 'url'>): Promise<(asked: string) => boolean> {
  const document = Object(await (await fetch(`${url}/docs/openapi.json`)).json());
  const known = Object.entries(Object(document.paths)).map(([path, item]) => ({
    parts: path.split('/').slice(1),
    methods: new Set(Object.keys(Object(item)).map((method) => method.toUpperCase())),
  }));
  return (asked) => {
    const [method = '', path = ''] = asked.split(' ');
    const parts = path.split('/');
    return known.some(({ parts: pattern, methods }) => methods.has(method) && fits(pattern, parts));
  };
}

/** A last variable stands for the rest: ids of configurations and scripts have slashes. */
function fits(pattern: readonly string[], parts: readonly string[]): boolean {
  const isRest = pattern.at(-1)?.startsWith('{') === true;
  if (isRest ? parts.length < pattern.length : parts.length !== pattern.length) return false;
  return pattern.every((part, at) => part.startsWith('{') || part === parts[at]);
}
