import { asFilter, type Scan } from '#client/index.ts';
import { cancelRun } from './cancel-run.ts';
import { DRY_RUN } from './change.ts';
import { textOf } from './connection.ts';
import { FILTER_FLAG, LIST_FLAGS, showList } from './list.ts';
import { say } from './output.ts';
import type { Asked } from './remote-command.ts';
import { isSpoken, showAnswer, showDone } from './report.ts';
import { formatScan } from './scan-progress.ts';
import { commandOfVerbs } from './verb.ts';
import { WATCH, watchRun } from './watch-run.ts';

const PATH = 'operation';

/** One thing done with many objects, as `/operation` answers it. */
interface Operation {
  readonly _id: string;
  readonly act: string;
  readonly action?: string;
  readonly resource: string;
  readonly owner: string;
  readonly state: Scan['progress']['state'] | 'PREPARED';
  readonly progress: Omit<Scan['progress'], 'state'>;
  readonly started: string | null;
  readonly ended: string | null;
  readonly estimate: string | null;
  readonly nodes: readonly string[];
  readonly error: { readonly message: string } | null;
  /** Failures that are alike; of one that is read by itself. */
  readonly errors?: readonly {
    readonly count: number;
    readonly message: string;
    readonly objects: readonly string[];
  }[];
}

/** `svc operation …`: bulk operations from the outside. */
export const operation = commandOfVerbs({
  name: 'operation',
  summary: 'list the operations over many objects, watch one, cancel it',
  notes: `Everybody has their own, and whoever may evaluate scripts sees all of them. One that is watched ends with 1 when it failed, was cancelled, or
failed for some of its objects. One is made by a POST: svc api POST operation -f order.json`,
  verbs: {
    list: {
      does: 'those that are remembered, the last first',
      flags: { ...FILTER_FLAG, ...LIST_FLAGS },
      example: 'svc operation list --filter \'state eq "ACTIVE"\'',
      async run(asked) {
        const filter = textOf(asked.flags, 'filter');
        if (!isSpoken(asked) || Object.keys(asked.flags).some((flag) => Object.hasOwn(LIST_FLAGS, flag))) {
          return showList(asked, PATH, filter);
        }
        const query = filter === undefined ? {} : { filter: asFilter(filter) };
        for await (const one of asked.client.resource<Operation>(PATH).query(query)) {
          say(`${one._id}  ${formatScan(asRun(one), 20)}`);
        }
      },
    },
    show: {
      does: 'one, with its failures in groups of those that are alike',
      takes: ['<id>'],
      async run({ client, form }, id: string) {
        showAnswer(await client.resource(PATH).read(id), form);
      },
    },
    watch: {
      does: 'show how far it is, until it has ended',
      takes: ['<id>'],
      run: watchOperation,
    },
    start: {
      does: 'start one that was made with dryRun, with the objects that were found then',
      takes: ['<id>'],
      flags: WATCH,
      async run(asked, id: string) {
        const done = await asked.client.resource(PATH).action<object>('start', { id });
        if (asked.flags['watch'] === true) return watchOperation(asked, id);
        showDone(asked, done, `operation ${id} started; svc operation watch ${id}`);
      },
    },
    cancel: {
      does: 'end it between two objects; what it has done stays done',
      takes: ['<id>'],
      run: (asked, id: string) => cancelRun(asked, PATH, 'operation', id),
    },
    failures: {
      does: 'the objects that it failed for, and why',
      takes: ['<id>'],
      flags: { ...FILTER_FLAG, ...LIST_FLAGS },
      run: (asked, id: string) =>
        showList(
          { ...asked, flags: { fields: 'failedAt,message', ...asked.flags } },
          `${PATH}/${id}/failure`,
          textOf(asked.flags, 'filter'),
        ),
    },
    retry: {
      does: 'do again what it failed for, as an operation of its own',
      takes: ['<id>'],
      flags: { ...WATCH, ...DRY_RUN },
      async run(asked, id: string) {
        const { client, flags, form } = asked;
        const answer = await client
          .resource(PATH)
          .action<{ _id: string }>('retry', { id, dryRun: flags['dry-run'] === true });
        if (!('dryRun' in answer) && flags['watch'] === true) return watchOperation(asked, answer._id);
        showAnswer(answer, form);
      },
    },
  },
});

/** Shows how far an operation is, until it has ended. @returns the exit code */
export function watchOperation(asked: Asked, id: string): Promise<number> {
  return watchRun(asked, async () => {
    const shown = await asked.client.resource<Operation>(PATH).read(id);
    return { run: asRun(shown), shown };
  });
}

function asRun({ _id, act, action, resource, state, progress, errors = [], ...others }: Operation): Scan {
  return {
    _id,
    progress: { ...progress, state: state === 'PREPARED' ? 'INITIALIZED' : state },
    started: others.started ?? '',
    ended: others.ended ?? '',
    estimate: others.estimate ?? '',
    name: `${action ?? act} ${resource}`,
    object: resource,
    nodes: others.nodes,
    error: others.error,
    errors: errors.map(({ count, message, objects }) => ({
      objectID: objects.length < count ? `${objects.join(', ')}, … (${count})` : objects.join(', '),
      error: { message },
    })),
  };
}
