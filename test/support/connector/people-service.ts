import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { JsonObject } from '#json/index.ts';

/** A service of the kind that has no standard: people as JSON, by a key in a header. Its script is `people-script.js`. */
export class PeopleService implements AsyncDisposable {
  readonly key = 'key-of-the-service';
  readonly people = new Map<string, JsonObject>();
  /** Whose turn it was, and who was deleted; its numbers go on though it forgets. */
  readonly log: { readonly at: number; readonly id: string; readonly last?: JsonObject }[] = [];
  #happened = 0;
  /** What has come in: method, path, headers. */
  readonly asked: { readonly line: string; readonly headers: IncomingMessage['headers'] }[] = [];
  readonly #server = createServer((request, response) => void this.#answer(request, response));

  async listen(): Promise<number> {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening');
    const address = this.#server.address();
    return typeof address === 'object' ? (address?.port ?? 0) : 0;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request;
    const body = await text(request).catch(() => '');
    this.asked.push({ line: `${method} ${url}`, headers });
    const send = (status: number, answer: JsonObject = {}) =>
      void response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer));
    const { pathname, searchParams } = new URL(url, 'http://service');
    const [, , collection = '', id = ''] = pathname.split('/').map(decodeURIComponent);
    if (collection === 'login') {
      const login = `Basic ${[...this.people.values()]
        .map(({ login: name, password }) => Buffer.from(`${name}:${password}`).toString('base64'))
        .find((known) => headers.authorization === `Basic ${known}`)}`;
      const [name] = Buffer.from(login.slice(6), 'base64').toString().split(':');
      const found = [...this.people.values()].find((one) => one['login'] === name);
      return found === undefined ? send(401) : send(200, { id: found['id'] ?? null });
    }
    if (headers['x-api-key'] !== this.key) return send(401, { message: 'Who are you?' });
    if (collection === 'changes') {
      const told = this.#changesSince(searchParams);
      return told === undefined ? send(410) : send(200, told);
    }
    if (collection === 'echo') return send(200, { key: String(headers['x-api-key']), body });
    if (collection === 'moved') return void response.writeHead(302, { Location: '/v1/people' }).end();
    if (method === 'POST') {
      const given: JsonObject = JSON.parse(body);
      const twin = [...this.people.values()].find(({ login }) => login === given['login']);
      if (twin !== undefined) return send(409, { id: twin['id'] ?? null });
      const made = { ...given, id: randomUUID() };
      this.people.set(made.id, made);
      this.#note(made.id);
      return send(201, shown(made));
    }
    if (id === '') {
      const after = searchParams.get('after') ?? '';
      const size = Number(searchParams.get('size') ?? 100);
      const ids = [...this.people.keys()].sort();
      const page = ids.filter((one) => one > after).slice(0, size);
      const people = page.map((one) => shown(this.people.get(one) ?? {}));
      const last = page.at(-1);
      return send(200, { people, next: page.length < size || last === undefined ? null : last });
    }
    const person = this.people.get(id);
    if (person === undefined) return send(404);
    if (method === 'DELETE') {
      this.people.delete(id);
      this.#note(id, person);
    }
    if (method === 'PUT') this.people.set(id, { ...JSON.parse(body), id });
    if (method === 'PATCH') {
      const all: JsonObject = { ...person, ...JSON.parse(body) };
      this.people.set(id, Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null)));
    }
    if (method === 'PUT' || method === 'PATCH') this.#note(id);
    return send(200, shown(this.people.get(id) ?? {}));
  }

  #note(id: string, last?: JsonObject): void {
    this.log.push({ at: this.#happened, id, ...(last === undefined ? {} : { last: shown(last) }) });
    this.#happened += 1;
  }

  #changesSince(asked: URLSearchParams): JsonObject | undefined {
    const since = asked.get('since') === '' ? this.#happened : Number(asked.get('since'));
    if (!(since >= (this.log[0]?.at ?? this.#happened) && since <= this.#happened)) return undefined;
    const later = this.log.filter(({ at }) => at >= since);
    const some = later.slice(0, Number(asked.get('size')));
    const changes = some.flatMap(({ id, last }): JsonObject[] => {
      if (last !== undefined) return [{ id, last }];
      const person = this.people.get(id);
      return person === undefined ? [] : [{ id, person: shown(person) }];
    });
    return { changes, next: since + some.length, isLast: some.length === later.length };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

function shown({ password: _, ...person }: JsonObject): JsonObject {
  return person;
}
