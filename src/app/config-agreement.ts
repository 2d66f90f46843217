import { setTimeout as sleep } from 'node:timers/promises';
import type { ConfigOverrides } from '#administration/index.ts';
import { countNodesBehind, noteConfiguration } from '#cluster/index.ts';
import type { Database } from '#database/index.ts';
import { isWrite, type RequestSink } from '#resource/index.ts';

/** A node that hangs holds up a change for no longer than it counts as alive. */
const LONGEST_MS = 3_000;
const LOOK_MS = 10;

/**
 * Each node tells which configuration it has in force, and whoever changes it over REST is answered when all live
 * nodes have the change: the next request may go to another node.
 */
export class ConfigAgreement {
  readonly #database: Database;
  readonly #overrides: ConfigOverrides;
  readonly #nodeId: number;
  #told: string | undefined;

  constructor(database: Database, overrides: ConfigOverrides, nodeId: number) {
    this.#database = database;
    this.#overrides = overrides;
    this.#nodeId = nodeId;
  }

  /** Puts in force what was changed on any node, and tells so. */
  async follow(): Promise<void> {
    await this.#overrides.refresh();
    const { inForce } = this.#overrides;
    if (inForce === this.#told) return;
    await noteConfiguration(this.#database.db, this.#nodeId, inForce);
    this.#told = inForce;
  }

  /** Answers changes of the configuration when all live nodes have them. */
  awaitedBy(resources: RequestSink): RequestSink {
    return {
      handle: (context, request) => {
        const answer = resources.handle(context, request);
        return isWrite(request) && request.path[0] === 'config' ? this.#reachedAfter(answer) : answer;
      },
    };
  }

  async #reachedAfter<Answer>(change: Promise<Answer>): Promise<Answer> {
    const answer = await change;
    await this.#reached();
    return answer;
  }

  async #reached(): Promise<void> {
    const until = performance.now() + LONGEST_MS;
    while (performance.now() < until) {
      if ((await countNodesBehind(this.#database.db, this.#nodeId, this.#overrides.inForce)) === 0) return;
      await sleep(LOOK_MS);
    }
  }
}
