import type { Finding } from '#errors/index.ts';
import type { Objection } from './config-checks.ts';
import type { ConfigFactoryDefinition } from './config-definition.ts';
import { definitionOf } from './config-id.ts';

type RemovalCheck = (id: string) => readonly Objection[];

/** Asks the parts of the server what they have against it that one of many configurations is deleted. A file that is gone is gone. */
export class ConfigRemovals {
  readonly #checks = new Map<string, RemovalCheck[]>();

  add<T>({ id }: ConfigFactoryDefinition<T>, check: RemovalCheck): void {
    this.#checks.set(id, [...(this.#checks.get(id) ?? []), check]);
  }

  ask(id: string): readonly Finding[] {
    const checks = this.#checks.get(definitionOf(id)) ?? [];
    return checks.flatMap((check) => check(id)).map((objection) => ({ where: '', ...objection }));
  }
}
