import type { Client, JsonObject } from '#client/index.ts';
import { UsageError } from '../usage-error.ts';
import { textOf } from './connection.ts';
import { FILTER_FLAG } from './list.ts';
import { idOf } from './named-object.ts';
import { isTable, say, showObject } from './output.ts';
import { sinceOf } from './time-argument.ts';
import { commandOfVerbs } from './verb.ts';
import { whyAccount, whyObject } from './why-object.ts';
import { whyRequest } from './why-request.ts';
import { firingInSentences, type ToldFiring, userInSentences } from './why-words.ts';

/** `svc why schedule|user|process|task|node|object|account|request`: what something waits for, or what became of it. */
export const whyWaiting = commandOfVerbs({
  name: 'why',
  summary:
    'tell why a schedule fired or did not, a user has a role, what a process or a task waits for, how a node is, what mappings or a request have caused',
  verbs: {
    schedule: {
      does: 'why it fired, or did not; from the database where no node is named',
      takes: ['<schedule>'],
      flags: {
        at: { value: '<time>', does: 'the planned time: 02:00, -10m, 2027-03-27T02:00:00Z; default: now' },
      },
      example: 'svc why schedule nightly --at -1h',
      async run({ client, flags, form }, id: string) {
        const time = (sinceOf(textOf(flags, 'at')) ?? new Date()).toISOString();
        const told = await client.scheduler.jobs.action<ToldFiring>('why', { id, body: { time } });
        if (isTable(form)) say(firingInSentences(told));
        else showObject({ _id: id, ...told }, form);
      },
    },
    user: {
      does: 'where its roles come from, or why one is, or is not, there; from the database where no node is named',
      takes: ['<user>', '[role <role>] …'],
      example: 'svc why user avo role auditor',
      async run({ client, form }, name: string, ...said: string[]) {
        // As one says it: why user avo has role auditor.
        const [word, named, ...more] = said[0] === 'has' ? said.slice(1) : said;
        if (word !== undefined && (word !== 'role' || named === undefined || more.length > 0)) {
          throw new UsageError(
            `'${said.join(' ')}' says nothing; expected 'svc why user <user> [role <role>]'`,
          );
        }
        const id = await idOf(client, 'user', name);
        const body =
          named === undefined ? { property: 'effectiveRoles' } : { role: await idOf(client, 'role', named) };
        const told = await client.managed('user').action<JsonObject>('explain', { id, body });
        if (isTable(form)) say(userInSentences(id, told));
        else showObject({ _id: id, ...told }, form);
      },
    },
    process: {
      does: 'where an instance stands, and what for',
      takes: ['<id>'],
      example: 'svc why process 4711',
      async run({ client, form }, id: string) {
        const { tasks, deadLetters, ...instance } = await stateOf(client, id);
        if (!isTable(form)) return showObject({ ...instance, tasks, deadLetters }, form);
        say(`Process ${instance['processDefinitionKey']} ${id}, started ${instance['startTime']}`);
        if (instance['endTime'] !== null)
          say(`ended ${instance['endTime']}: ${instance['deleteReason'] ?? 'done'}`);
        if (instance['suspended'] === true) say('is suspended; nothing of it goes on until it is activated');
        for (const task of tasks) say(`waits for ${taskInWords(task)}`);
        for (const letter of deadLetters) {
          say(`failed for good in job ${letter._id}: ${letter['exceptionMessage'] ?? 'no reason is known'}`);
          say(`  svc dead-letter retry ${letter._id}`);
        }
        if (instance['endTime'] === null && tasks.length + deadLetters.length === 0) {
          say(
            'waits for no person and for nothing that failed: for a time, a message, or a step that runs now',
          );
        }
      },
    },
    task: {
      does: 'who has it or may take it, and in which process',
      takes: ['<id>'],
      async run({ client, form }, id: string) {
        const task = await client.tasks.read(id, { fields: ['*', 'candidates'] });
        if (!isTable(form)) return showObject(task, form);
        say(`Task ${taskInWords(task)}`);
        say(`candidates ${JSON.stringify(task['candidates'] ?? {})}`);
        say(`of process ${task['processInstanceId']}; svc why process ${task['processInstanceId']}`);
      },
    },
    node: {
      does: 'how it is, and what led to that',
      takes: ['<node>'],
      async run({ client, form }, id: string) {
        const answer = await client.resource('cluster').action<Explanation>('why', { id });
        if (!isTable(form)) return showObject({ _id: id, ...answer }, form);
        say(`Node ${id}: ${answer.outcome}`);
        say(`${answer.why}.`);
        for (const { at, text, ref } of answer.chain)
          say(`${at}  ${text}${ref === undefined ? '' : `  ${ref}`}`);
      },
    },
    object: {
      does: 'what mappings have made of it, or have made it from, and by which rule',
      takes: ['<path>'],
      flags: { mapping: { does: 'only this one', value: '<name>' } },
      example: 'svc why object managed/user/42',
      run: whyObject,
    },
    account: {
      does: 'what gave an object of another system each of its values, and by whose change',
      takes: ['<system>/<type>[/<id>]'],
      flags: {
        ...FILTER_FLAG,
        attribute: { does: 'only this one', value: '<name>' },
        mapping: { does: 'only this one', value: '<name>' },
      },
      example: `svc why account ldap/account --filter 'uid eq "dora"'`,
      run: whyAccount,
    },
    request: {
      does: 'all that it caused, and what the node that answers has said of it',
      takes: ['<id>'],
      example: 'svc why request 01a200c1-3740-7000-8000-000000000000',
      run: whyRequest,
    },
  },
});

interface Explanation {
  readonly outcome: string;
  readonly why: string;
  readonly chain: readonly { readonly at: string; readonly text: string; readonly ref?: string }[];
}

type Found = JsonObject & { readonly _id: string };

async function stateOf(
  client: Client,
  id: string,
): Promise<JsonObject & { readonly tasks: readonly Found[]; readonly deadLetters: readonly Found[] }> {
  const instance = await client.resource('workflow/processinstance').read(id);
  const query = { queryId: 'filtered-query', parameters: { processInstanceId: id } };
  const [tasks, deadLetters] = await Promise.all(
    ['workflow/taskinstance', 'workflow/job/deadletter'].map(async (path) => {
      const found: Found[] = [];
      for await (const each of client.resource(path).query(query)) found.push(each);
      return found;
    }),
  );
  return { ...instance, tasks: tasks ?? [], deadLetters: deadLetters ?? [] };
}

function taskInWords(task: Found): string {
  const { name, taskDefinitionKey, assignee = null, delegate = null, dueDate = null } = task;
  const who = assignee ?? delegate;
  const due = dueDate === null ? '' : `, due ${dueDate}`;
  return `'${name ?? taskDefinitionKey}' (${task._id}), ${who === null ? 'which nobody has' : `which ${who} has`}${due}`;
}
