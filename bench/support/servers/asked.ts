/** What is asked of our node and of servers of others: the same, each in its own words. */
import { call } from '../service.ts';
import type { Step } from './conversation.ts';
import type { PeerServer } from './java.ts';

/** The same of ours and of theirs. */
export type Both<T> = Readonly<Record<'ours' | 'theirs', T>>;

const flow = (from: string, to: string) =>
  `<sequenceFlow id="${from}-${to}" sourceRef="${from}" targetRef="${to}"/>`;
const start = '<startEvent id="s"/>';
const end = '<endEvent id="e"/>';
const task = (id: string) => `<userTask id="${id}" flowable:candidateGroups="clerks"/>`;
const service = (id: string) =>
  `<serviceTask id="${id}" flowable:expression="\${count + 1}" flowable:resultVariable="count"/>`;
const timer = (definition: string) => `<timerEventDefinition>${definition}</timerEventDefinition>`;

const BODIES = {
  oneTask: [start, task('t'), end, flow('s', 't'), flow('t', 'e')],
  threeServices: [
    start,
    service('a'),
    service('b'),
    service('c'),
    end,
    flow('s', 'a'),
    flow('a', 'b'),
    flow('b', 'c'),
    flow('c', 'e'),
  ],
  forked: [
    start,
    '<parallelGateway id="f"/>',
    task('a'),
    task('b'),
    `<boundaryEvent id="late" attachedToRef="a">${timer('<timeDuration>P1D</timeDuration>')}</boundaryEvent>`,
    '<parallelGateway id="j"/>',
    end,
    flow('s', 'f'),
    flow('f', 'a'),
    flow('f', 'b'),
    flow('a', 'j'),
    flow('b', 'j'),
    flow('late', 'e'),
    flow('j', 'e'),
  ],
  timed: [
    start,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: an expression of the process
    `<intermediateCatchEvent id="c">${timer('<timeDate>${dueAt}</timeDate>')}</intermediateCatchEvent>`,
    end,
    flow('s', 'c'),
    flow('c', 'e'),
  ],
};

/** The text of each process file, by the key of its process. */
export const PROCESS_FILES: Readonly<Record<keyof typeof BODIES, string>> = {
  oneTask: processFile('oneTask', BODIES.oneTask),
  threeServices: processFile('threeServices', BODIES.threeServices),
  forked: processFile('forked', BODIES.forked),
  timed: processFile('timed', BODIES.timed),
};

/** An instance from its start to its end, with as many tasks as there are to be found in it and completed. */
export function throughInstance(key: keyof typeof BODIES, tasks: number): Both<readonly Step[]> {
  const names = Array.from({ length: tasks }, (_, n) => `task${n}`);
  const found = (member: (n: number) => string) =>
    Object.fromEntries(names.map((name, n) => [name, member(n)]));
  const ours: Step[] = [
    {
      method: 'POST',
      path: '/svc/workflow/processinstance',
      body: JSON.stringify({ _key: key, count: 1 }),
      takes: { instance: '_id' },
    },
  ];
  const theirs: Step[] = [
    {
      method: 'POST',
      path: '/process-api/runtime/process-instances',
      body: JSON.stringify({ processDefinitionKey: key, variables: [{ name: 'count', value: 1 }] }),
      takes: { instance: 'id' },
    },
  ];
  if (tasks === 0) return { ours, theirs };
  ours.push({
    method: 'GET',
    path: `/svc/workflow/taskinstance?_queryId=filtered-query&processInstanceId=${said('instance')}`,
    takes: found((n) => `result.${n}._id`),
  });
  theirs.push({
    method: 'GET',
    path: `/process-api/runtime/tasks?processInstanceId=${said('instance')}`,
    takes: found((n) => `data.${n}.id`),
  });
  for (const name of names) {
    ours.push({
      method: 'POST',
      path: `/svc/workflow/taskinstance/${said(name)}?_action=complete`,
      body: '{}',
    });
    theirs.push({
      method: 'POST',
      path: `/process-api/runtime/tasks/${said(name)}`,
      body: '{"action":"complete"}',
    });
  }
  return { ours, theirs };
}

/** An instance with a timer that is due at that time. */
export function startTimed(dueAt: string): Both<Step> {
  return {
    ours: {
      method: 'POST',
      path: '/svc/workflow/processinstance',
      body: JSON.stringify({ _key: 'timed', dueAt }),
    },
    theirs: {
      method: 'POST',
      path: '/process-api/runtime/process-instances',
      body: JSON.stringify({ processDefinitionKey: 'timed', variables: [{ name: 'dueAt', value: dueAt }] }),
    },
  };
}

const USERS: Both<string> = { ours: '/svc/managed/user', theirs: '/admin/realms/bench/users' };

/** @param name its name; `seed7` has `seed7@example.com` and the department `d-seed7` */
export function createUser(name: string): Both<Step> {
  const mail = `${name}@example.com`;
  const user = { userName: name, givenName: 'Kim', sn: 'Lee', mail, department: `d-${name}` };
  const peer = {
    username: name,
    firstName: 'Kim',
    lastName: 'Lee',
    email: mail,
    enabled: true,
    attributes: { department: [`d-${name}`] },
  };
  return {
    ours: { method: 'POST', path: USERS.ours, body: JSON.stringify(user) },
    theirs: { method: 'POST', path: USERS.theirs, body: JSON.stringify(peer) },
  };
}

const BY_ID: Both<string> = {
  ours: `${USERS.ours}/${said('about')}`,
  theirs: `${USERS.theirs}/${said('about')}`,
};

export const READ_USER: Both<Step> = {
  ours: { method: 'GET', path: BY_ID.ours },
  theirs: { method: 'GET', path: BY_ID.theirs },
};

/** About the number of a user. */
export const FIND_BY_MAIL: Both<Step> = {
  ours: { method: 'GET', path: `${USERS.ours}?_queryFilter=mail+eq+%22seed${said('about')}@example.com%22` },
  theirs: { method: 'GET', path: `${USERS.theirs}?exact=true&email=seed${said('about')}@example.com` },
};

/** About the number of a user. */
export const FIND_BY_DEPARTMENT: Both<Step> = {
  ours: { method: 'GET', path: `${USERS.ours}?_queryFilter=department+eq+%22d-seed${said('about')}%22` },
  theirs: { method: 'GET', path: `${USERS.theirs}?q=department:d-seed${said('about')}` },
};

export const CHANGE_USER: Both<Step> = {
  ours: {
    method: 'PATCH',
    path: BY_ID.ours,
    body: `[{"operation":"replace","field":"/givenName","value":"Kim ${said('number')}"}]`,
  },
  theirs: { method: 'PUT', path: BY_ID.theirs, body: `{"firstName":"Kim ${said('number')}"}` },
};

export const DELETE_USER: Both<Step> = {
  ours: { method: 'DELETE', path: BY_ID.ours },
  theirs: { method: 'DELETE', path: BY_ID.theirs },
};

/** The ids of all users that are there. */
export async function idsOf(
  ours: string,
  theirs: Pick<PeerServer, 'url' | 'headers'>,
): Promise<Both<string[]>> {
  const page = (await call(ours, 'GET', 'managed/user?_queryFilter=true&_fields=_id')) as {
    result: { _id: string }[];
  };
  const response = await fetch(`${theirs.url}${USERS.theirs}?max=100000&briefRepresentation=true`, {
    headers: theirs.headers,
  });
  const users = (await response.json()) as { id: string }[];
  return { ours: page.result.map(({ _id }) => _id), theirs: users.map(({ id }) => id) };
}

/** What a request says of that name, as `Step` has it. */
export function said(name: string): string {
  return `\${${name}}`;
}

function processFile(key: string, elements: readonly string[]): string {
  return `<?xml version="1.0"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:flowable="http://flowable.org/bpmn" targetNamespace="bench">
  <process id="${key}">${elements.join('')}</process></definitions>`;
}
