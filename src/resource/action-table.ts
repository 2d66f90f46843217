import { BadRequestError, didYouMean } from '#errors/index.ts';
import type { ActionBody } from './body-schema.ts';
import type { WriteContext } from './context.ts';
import type { ActionDescription } from './description.ts';
import type { ActionRequest } from './request.ts';
import { formatPath } from './resource-path.ts';
import type { ActionResult } from './response.ts';

/** One action of a resource. `At` is where it is asked for, below the path of the resource: the id of an instance. */
export interface Action<At extends readonly unknown[] = []> {
  /** What it does: a sentence for the API description. */
  readonly does: string;
  /** The body, where its shape is known: `bodyOf`, or `NO_BODY`. For the API description. */
  readonly takes?: ActionBody;
  /** The same of the answer. */
  readonly answers?: ActionBody;
  /** Answered here as well, and described elsewhere. */
  readonly isDescribed?: false;
  /** Whether it may run a script. Default: no. */
  readonly runsScripts?: boolean | ((request: ActionRequest) => boolean);
  run(context: WriteContext, request: ActionRequest, ...at: At): Promise<ActionResult>;
}

export interface ActionTableOptions<At extends readonly unknown[]> {
  /** Names are met whatever their case. */
  readonly anyCase?: boolean;
  /** Asked about a name that is not in the table, before it is refused as any other. */
  readonly refuse?: (
    request: ActionRequest,
    names: readonly string[],
    context: WriteContext,
    ...at: At
  ) => Promise<void> | void;
}

/** The actions of a resource by their names: its description, who does what, and the error for any other name. */
export class ActionTable<At extends readonly unknown[] = []> {
  readonly names: readonly string[];
  readonly #actions: ReadonlyMap<string, Action<At>>;
  readonly #options: ActionTableOptions<At>;

  constructor(actions: Readonly<Record<string, Action<At>>>, options: ActionTableOptions<At> = {}) {
    this.names = Object.keys(actions);
    this.#options = options;
    this.#actions = new Map(Object.entries(actions).map(([name, action]) => [this.#key(name), action]));
  }

  describe(): readonly ActionDescription[] {
    return this.names.flatMap((name) => {
      const action = this.#actions.get(this.#key(name));
      if (action === undefined || action.isDescribed === false) return [];
      const { does, takes, answers } = action;
      return {
        name,
        does,
        ...(takes === undefined ? {} : { takes }),
        ...(answers === undefined ? {} : { answers }),
      };
    });
  }

  runsScripts(request: ActionRequest): boolean {
    const { runsScripts = false } = this.#actions.get(this.#key(request.action)) ?? {};
    return typeof runsScripts === 'boolean' ? runsScripts : runsScripts(request);
  }

  /** @throws BadRequestError `ACTION_UNKNOWN`, unless the table refuses what it does not know in another way */
  async run(context: WriteContext, request: ActionRequest, ...at: At): Promise<ActionResult> {
    const action = this.#actions.get(this.#key(request.action));
    if (action !== undefined) return action.run(context, request, ...at);
    await this.#options.refuse?.(request, this.names, context, ...at);
    return unknownAction(request, this.names);
  }

  #key(name: string): string {
    return this.#options.anyCase === true ? name.toLowerCase() : name;
  }
}

/** 400 for an action that the resource does not know. */
function unknownAction(request: ActionRequest, known: readonly string[]): never {
  throw new BadRequestError(`Action '${request.action}' is not supported by '${formatPath(request.path)}'`, {
    id: 'ACTION_UNKNOWN',
    hint:
      known.length === 0
        ? 'It has no actions'
        : [didYouMean(request.action, known), `Its actions are ${known.join(', ')}`]
            .filter(Boolean)
            .join(' '),
  });
}
