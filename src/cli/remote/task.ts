import { EXIT } from '../command.ts';
import { UsageError } from '../usage-error.ts';
import { DRY_RUN } from './change.ts';
import { textOf } from './connection.ts';
import { ASSIGNMENTS, CONTENT_NOTES, contentOf, FILE_FLAG } from './content.ts';
import { inTables, LIST_FLAGS, showList } from './list.ts';
import { watchOperation } from './operation.ts';
import { say } from './output.ts';
import type { Asked } from './remote-command.ts';
import { isSpoken, showAnswer, showDone } from './report.ts';
import { commandOfVerbs } from './verb.ts';

const LETTERS = 'workflow/job/deadletter';
const TASK_COLUMNS = 'name,assignee,createTime,dueDate,processInstanceId';
const LETTER_COLUMNS = 'elementId,exceptionMessage,createTime,processInstanceId';
/** How long to wait for what comes of a retry. */
const RETRY_WAIT = '5s';

interface Retried {
  readonly outcome: string;
  readonly failure?: { readonly message: string };
}

/** `svc task …` */
export const task = commandOfVerbs({
  name: 'task',
  summary: 'list tasks of processes, claim one, complete it',
  notes: CONTENT_NOTES,
  verbs: {
    list: {
      does: 'open tasks',
      flags: {
        ...LIST_FLAGS,
        mine: { does: 'those that you have' },
        claimable: { does: 'those that you could take' },
        process: { value: '<id>', does: 'those of one instance' },
      },
      example: 'svc task list --mine',
      run(asked) {
        const { flags } = asked;
        const inbox = flags['mine'] === true ? 'mine' : flags['claimable'] === true ? 'claimable' : undefined;
        const instance = textOf(flags, 'process');
        return showList(inTables(asked, TASK_COLUMNS), 'workflow/taskinstance', undefined, {
          ...(inbox === undefined ? {} : { _queryId: inbox }),
          ...(instance === undefined ? {} : { processInstanceId: instance }),
        });
      },
    },
    claim: {
      does: 'take it; default: for yourself',
      takes: ['<id>', '[<user>]'],
      flags: DRY_RUN,
      async run({ client, flags, form }, id: string, user?: string) {
        const userId = user ?? (await client.whoAmI())['authenticationId'];
        const dryRun = flags['dry-run'] === true;
        showAnswer(await client.tasks.action('claim', { id, body: { userId }, dryRun }), form);
      },
    },
    complete: {
      does: 'with the variables of its form',
      takes: ['<id>', ASSIGNMENTS],
      flags: { ...FILE_FLAG, ...DRY_RUN },
      example: 'svc task complete 4711 decision=accept',
      async run({ client, flags, form }, id: string, ...rest: string[]) {
        const body = rest.length === 0 && flags['file'] === undefined ? {} : contentOf(flags, rest);
        const dryRun = flags['dry-run'] === true;
        showAnswer(await client.tasks.action('complete', { id, body, dryRun }), form);
      },
    },
  },
});

/** `svc dead-letter list|retry` */
export const deadLetter = commandOfVerbs({
  name: 'dead-letter',
  summary: 'list the jobs of processes that are out of attempts, and try them again',
  verbs: {
    list: {
      does: 'what failed for good, and with which error',
      flags: { ...LIST_FLAGS, process: { value: '<id>', does: 'of one instance' } },
      example: 'svc dead-letter list -o table',
      run: (asked) => showList(inTables(asked, LETTER_COLUMNS), LETTERS, undefined, ofInstance(asked)),
    },
    retry: {
      does: 'one; or, with --process or --every, those of an instance or all, as one operation. Ends with 1 when one cannot be',
      takes: ['[<id>]'],
      flags: { process: { value: '<id>', does: 'of one instance' }, every: { does: 'all that there are' } },
      example: 'svc dead-letter retry --process 4711',
      async run(asked, id?: string) {
        const { client, flags } = asked;
        const isMany = flags['process'] !== undefined || flags['every'] === true;
        if ((id === undefined) !== isMany)
          throw new UsageError('expected one <id>, --process <id>, or --every');
        if (id === undefined) return retryAll(asked);
        const letters = client.resource(LETTERS);
        const told = await letters.action<Retried>('retry', { id, parameters: { wait: RETRY_WAIT } });
        const why = told.failure === undefined ? '' : `: ${told.failure.message}`;
        showDone(asked, { _id: id, ...told }, `${id}  ${told.outcome}${why}`);
        return told.outcome === 'failed' ? EXIT.FINDING : EXIT.OK;
      },
    },
  },
});

/** However many there are: the nodes share them. What fails again is a letter again. */
async function retryAll(asked: Asked): Promise<number> {
  const body = {
    act: 'action',
    action: 'retry',
    resource: LETTERS,
    queryId: 'filtered-query',
    parameters: ofInstance(asked),
  };
  const { _id } = await asked.client.send<{ _id: string }>({ method: 'POST', path: ['operation'], body });
  const code = await watchOperation(asked, _id);
  if (isSpoken(asked)) say('svc dead-letter list tells which fail again');
  return code;
}

function ofInstance({ flags }: Asked): Readonly<Record<string, string>> {
  const instance = textOf(flags, 'process');
  return instance === undefined ? {} : { processInstanceId: instance };
}
