import type pg from 'pg';
import { bpmn } from '../unit/workflow/engine/bpmn.ts';
import type { Api } from './api.ts';
import { eventually } from './eventually.ts';
import type { TestServer } from './server.ts';

/** A process file with one process of that key. */
export function processFile(
  key: string,
  body: string,
  attributes: Record<string, string | boolean> = {},
): string {
  return bpmn(body, attributes).replace('<process id="p"', `<process id="${key}"`);
}

/** The timers and jobs of an instance are due now, whenever they were to be. */
export async function makeDue(pool: pg.Pool, instance: string): Promise<void> {
  await pool.query(
    "update work_job set due_at = clock_timestamp() where node_id is null and data->>'instance' = $1",
    [instance],
  );
}

/** A failing job of an instance has had all its attempts, whenever they were to be. */
export async function untilDeadLetter(
  server: Pick<TestServer, 'database' | 'observations'>,
  instance: string,
): Promise<void> {
  await eventually(
    async () => {
      await makeDue(server.database.pool, instance);
      return server.observations.some(
        (said) => said.kind === 'workflow.deadLetter' && said.instance === instance,
      );
    },
    (isDead) => isDead,
  );
}

/** What tests do with processes through REST. */
export function workflowApi(api: Api) {
  const get = async (path: string) => {
    const { status, body } = await api('GET', `workflow/${path}`);
    if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`);
    return body;
  };
  const list = async (path: string, parameters = '') =>
    (await get(`${path}?_queryId=filtered-query${parameters === '' ? '' : `&${parameters}`}`)).result;
  /** The open tasks of an instance, by the ids of their elements. */
  const openTasks = async (instance: string): Promise<string[]> =>
    (await list('taskinstance', `processInstanceId=${instance}`)).map(
      (task: { taskDefinitionKey: string }) => task.taskDefinitionKey,
    );
  return {
    get,
    list,
    openTasks,
    /** Waits until the element has an open task. */
    reached: (instance: string, element: string) =>
      eventually(
        () => openTasks(instance),
        (open) => open.includes(element),
      ),
    start: async (key: string, body: Record<string, unknown> = {}): Promise<string> => {
      const answer = await api('POST', 'workflow/processinstance', { body: { _key: key, ...body } });
      if (answer.status !== 201) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
      return answer.body._id as string;
    },
    tasks: (instance: string) => list('taskinstance', `processInstanceId=${instance}&_sortKeys=_id`),
    complete: (task: string, variables: Record<string, unknown> = {}) =>
      api('POST', `workflow/taskinstance/${task}?_action=complete`, { body: variables }),
    /** Completes the open task of that element. */
    completeAt: async (instance: string, element: string, variables: Record<string, unknown> = {}) => {
      const open = await list('taskinstance', `processInstanceId=${instance}`);
      const task = open.find((one: { taskDefinitionKey: string }) => one.taskDefinitionKey === element);
      if (task === undefined) throw new Error(`No open task '${element}' in ${JSON.stringify(open)}`);
      return api('POST', `workflow/taskinstance/${task._id}?_action=complete`, { body: variables });
    },
  };
}
