import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ZipFile } from 'yazl';
import type { Api } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { longOr } from '../support/long.ts';
import { createSchemaDatabase } from '../support/migrated-database.ts';
import { type NodeProcess, startNodeProcess } from '../support/node-process.ts';
import type { TestDatabase } from '../support/postgres.ts';
import { createProject, type TestProject } from '../support/project.ts';
import { workflowApi } from '../support/workflow.ts';
import '../support/takes-long.ts';

const FOLDER = new URL('../fixtures/processes/', import.meta.url);
const FILES = readdirSync(FOLDER);
const text = (file: string) => readFileSync(new URL(file, FOLDER), 'utf8');
/** This one comes as an archive, with its forms. */
const ARCHIVED = 'contractor.bpmn20.xml';

let database: TestDatabase;
let project: TestProject;
let node: NodeProcess;
let lives = 0;
/** Of the node that lives. */
const api: Api = (...request) => node.api(...request);
const workflow = workflowApi(api);

const startNode = async () => {
  node = await startNodeProcess({
    name: `life-${++lives}`,
    databaseUrl: database.url,
    project: project.location,
  });
};
const person = (userName: string, more: object = {}) =>
  api('PUT', `managed/user/${userName}`, {
    body: { userName, givenName: userName, sn: 'Test', mail: `${userName}@example.com`, ...more },
  });
const read = async (path: string) => (await api('GET', path)).body;
const rolesOf = async (user: string) => (await read(`managed/user/${user}?_fields=roles`)).roles.length;
const instance = (id: string) => workflow.get(`processinstance/history/${id}`);
const variables = async (id: string) => (await instance(id)).processVariables;
const hasEnded = async (id: string) => (await instance(id)).endTime !== null;
const open = async (id: string) => {
  const [task] = await workflow.tasks(id);
  return workflow.get(`taskinstance/${task._id}`);
};
const done = async (id: string, element: string, body: Record<string, unknown> = {}) => {
  const { status, body: answer } = await workflow.completeAt(id, element, body);
  expect(status, JSON.stringify(answer)).toBe(200);
};
const claim = (task: string, userId: string) =>
  api('POST', `workflow/taskinstance/${task}?_action=claim`, { body: { userId } });
const reaches = (id: string, element: string) =>
  eventually(
    () => workflow.openTasks(id),
    (tasks) => tasks.includes(element),
  );

beforeAll(async () => {
  database = await createSchemaDatabase();
  const files = FILES.filter((file) => file !== ARCHIVED);
  project = await createProject(Object.fromEntries(files.map((file) => [`workflow/${file}`, text(file)])));
  const archive = new ZipFile();
  archive.addBuffer(Buffer.from(text(ARCHIVED)), ARCHIVED);
  archive.addBuffer(Buffer.from('<form>Name: {{sn}}</form>'), 'enter.xhtml');
  archive.addBuffer(Buffer.from('<form>Approve {{accountName}}</form>'), 'approve.xhtml');
  archive.end();
  const parts: Buffer[] = [];
  for await (const part of archive.outputStream) parts.push(part as Buffer);
  await writeFile(join(project.location, 'workflow', 'contractor.bar'), Buffer.concat(parts));
  await startNode();
  await api('PUT', 'managed/role/auditor', { body: { name: 'auditor', description: 'May read everything' } });
  await api('PUT', 'managed/role/eyes', { body: { name: 'eyes', description: 'Agree' } });
  await person('boss', { authzRoles: [{ _ref: 'managed/role/eyes' }] });
  await person('peer', { authzRoles: [{ _ref: 'managed/role/eyes' }] });
  await person('emil', { manager: { _ref: 'managed/user/boss' } });
});
afterAll(async () => {
  await node[Symbol.asyncDispose]();
  await project[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

/** What is done with each sample, and what must come of it; where one yields, its node is killed. */
const SAMPLES: Record<string, () => AsyncGenerator<void, void>> = {
  async *example() {
    const id = await workflow.start('example');
    yield;
    expect(await open(id)).toMatchObject({ name: 'Read: Hello svc-admin', assignee: 'svc-admin' });
    await done(id, 'read');
    expect(await hasEnded(id)).toBe(true);
  },

  async *newEmployee() {
    const employee = { givenName: 'Nell', sn: 'New', department: 'sales', startDate: '2026-02-01' };
    const ask = (userName: string) =>
      workflow.start('newEmployee', { ...employee, userName, managerName: 'boss' });
    const [hired, refused] = [await ask('nell'), await ask('nobody')];
    const failed = await api('POST', 'workflow/processinstance', {
      body: { _key: 'newEmployee', ...employee, userName: 'x', managerName: 'missing' },
    });
    expect([failed.status, failed.body.message]).toEqual([
      500,
      expect.stringContaining('There is no manager missing'),
    ]);
    yield;
    const task = await open(hired);
    expect(task).toMatchObject({ name: 'Approve Nell New', assignee: 'boss' });
    expect(task.formProperties).toEqual([{ fullName: 'Nell New' }, { decision: null }]);
    await done(hired, 'managerDecides', { decision: 'accept' });
    await done(refused, 'managerDecides', { decision: 'reject' });
    expect((await instance(refused)).endTime).not.toBeNull();
    yield;
    expect((await open(hired)).candidates.candidateGroups).toEqual(['svc-tasks-manager']);
    await done(hired, 'officeDecides', { hire: true });
    const { accountId } = await variables(hired);
    expect(await read(`managed/user/${accountId}`)).toMatchObject({ userName: 'nell', department: 'sales' });
    expect((await read('managed/user?_queryFilter=userName eq "nobody"')).result).toEqual([]);
  },

  async *roleRequest() {
    await person('rolf', { manager: { _ref: 'managed/user/boss' } });
    await person('rosa', { manager: { _ref: 'managed/user/boss' } });
    const ask = (personId: string, patience: string) =>
      workflow.start('roleRequest', { personId, roleId: 'auditor', patience });
    const [punctual, late] = [await ask('rolf', 'P3D'), await ask('rosa', 'PT0.1S')];
    yield;
    expect(await open(punctual)).toMatchObject({ assignee: 'boss', name: 'Role auditor for rolf' });
    await done(punctual, 'decide', { decision: 'accept' });
    expect([await rolesOf('rolf'), (await variables(punctual)).outcome]).toEqual([1, 'granted']);
    await reaches(late, 'escalated');
    yield;
    await done(late, 'escalated', { decision: 'reject' });
    expect([await rolesOf('rosa'), (await variables(late)).outcome]).toEqual([0, 'refused']);
    expect((await instance(late)).tasks[0].deleteReason).toBe('boundary event');
  },

  async *attestation() {
    await person('attested', { roles: [{ _ref: 'managed/role/auditor' }, { _ref: 'managed/role/eyes' }] });
    const start = () => workflow.start('attestation', { person: 'attested' });
    const [certified, revoked] = [await start(), await start()];
    yield;
    const { _id: task, ...read } = await open(certified);
    expect(read.candidates.candidateUsers).toEqual(['first.attestor', 'second.attestor']);
    expect(read.formProperties).toEqual([{ decision: null }, { roles: '2' }]);
    expect((await claim(task, 'second.attestor')).status).toBe(200);
    expect((await variables(certified)).attestor).toBe('second.attestor');
    yield;
    await done(certified, 'attest', { decision: 'certify' });
    expect(await rolesOf('attested')).toBe(2);
    await done(revoked, 'attest', { decision: 'revoke' });
    expect([await rolesOf('attested'), (await variables(revoked)).revoked]).toEqual([0, 2]);
  },

  async *sunset() {
    await person('stays', { endDate: '2026-08-31' });
    await person('goes', { endDate: '2026-08-31' });
    const start = (personId: string) =>
      workflow.start('sunset', { personId, manager: 'boss', notice: 'PT0.1S' });
    const [stays, goes] = [await start('stays'), await start('goes')];
    yield;
    await reaches(stays, 'extend');
    await reaches(goes, 'extend');
    yield;
    expect(await open(stays)).toMatchObject({ name: 'Extend beyond 2026-08-31?', assignee: 'boss' });
    await done(stays, 'extend', { extends: true });
    await done(goes, 'extend', { extends: false });
    expect((await read('managed/user/stays')).endDate).toBe('2027-02-28');
    expect((await read('managed/user/goes')).accountStatus).toBe('inactive');
  },

  async *passwordReminder() {
    await person('lazy');
    await person('quick', { preferences: { passwordChanged: true } });
    const start = (personId: string) => workflow.start('passwordReminder', { personId, interval: 'PT0.1S' });
    const [lazy, quick] = [await start('lazy'), await start('quick')];
    yield;
    for (const id of [lazy, quick]) await eventually(() => hasEnded(id), Boolean);
    yield;
    expect([(await variables(lazy)).reminded, (await variables(quick)).reminded]).toEqual([2, 0]);
    expect((await read('managed/user/lazy')).accountStatus).toBe('inactive');
    expect((await read('managed/user/quick')).accountStatus).toBe('active');
    const notes = await read('managed/deactivation?_queryFilter=userName eq "lazy"&_sortKeys=reason');
    expect(notes.result).toMatchObject([{ reason: 'Reminder 1' }, { reason: 'Reminder 2' }]);
  },

  async *orphanAccount() {
    const start = async (targetId: string) => {
      await api('PUT', `repo/accounts/${targetId}`, { body: { name: targetId } });
      return workflow.start('orphanAccount', { targetId, mapping: 'accounts_user', sourceId: null });
    };
    const [linked, deleted, ignored] = [await start('a1'), await start('a2'), await start('a3')];
    expect((await instance(linked)).businessKey).toBe('sourceId: none, targetId: a1');
    // Whoever finds the same account again asks first whether somebody is at it.
    expect(
      await workflow.list('processinstance', 'processDefinitionKey=orphanAccount&var-targetId=a1'),
    ).toHaveLength(1);
    yield;
    await done(linked, 'choose', { action: 'LINK', owner: 'emil' });
    await done(deleted, 'choose', { action: 'DELETE' });
    await done(ignored, 'choose', { action: 'IGNORE' });
    yield;
    expect((await read('repo/accounts/a1')).owner).toBe('emil');
    expect((await variables(linked)).linkedTo).toBe('emil');
    expect((await api('GET', 'repo/accounts/a2')).status).toBe(404);
    expect((await api('GET', 'repo/accounts/a3')).status).toBe(200);
  },

  async *ambiguousMatch() {
    const id = await workflow.start('ambiguousMatch', {
      sourceId: 's1',
      ambiguousTargetIds: 'boss, peer',
      responsible: null,
    });
    yield;
    const task = await open(id);
    expect(task.assignee).toBe('svc-admin');
    expect(task.formProperties).toEqual([
      { labels: 'boss Test; peer Test' },
      { targetId: null },
      { _formGenerationTemplate: "<select name='targetId'>{{#each candidates}}</select>" },
    ]);
    await done(id, 'choose', { targetId: 'emil' });
    expect(await workflow.openTasks(id)).toEqual(['choose']);
    yield;
    await done(id, 'choose', { targetId: 'peer' });
    expect((await variables(id)).chosenName).toBe('peer Test');
    expect((await read('repo/links?_queryFilter=sourceId eq "s1"')).result).toMatchObject([
      { targetId: 'peer' },
    ]);
  },

  async *contractor() {
    const [{ _id: definition }] = await workflow.list('processdefinition', 'key=contractor');
    expect(await workflow.get(`processdefinition/${definition}`)).toMatchObject({
      formResourceKey: 'enter.xhtml',
      formGenerationTemplate: '<form>Name: {{sn}}</form>',
    });
    const id = await workflow.start('contractor', {
      sn: "O'Hara",
      days: 90,
      rate: 12.5,
      firstDay: '2026-01-01T00:00:00.000Z',
    });
    yield;
    const task = await open(id);
    expect(task).toMatchObject({ name: "Contractor O'Hara costs 9000", formKey: 'approve.xhtml' });
    expect(task.formProperties).toEqual([
      { accountName: 'c-ohara' },
      { firstDay: '01.01.2026' },
      { approved: null },
    ]);
    expect(task.variables).toMatchObject({
      firstDay: Date.UTC(2026, 0, 1),
      lastDay: Date.UTC(2026, 3, 1),
      costs: 9000,
    });
    await done(id, 'approve', { approved: true });
    yield;
    expect(await read('managed/user/c-ohara')).toMatchObject({ sn: "O'Hara", endDate: '2026-04-01' });
  },

  async *fourEyes() {
    const id = await workflow.start('fourEyes', { groupId: 'eyes' });
    yield;
    const first = await open(id);
    expect(first.candidates.candidateUsers).toEqual(['boss', 'peer']);
    await claim(first._id, 'boss');
    await done(id, 'first');
    yield;
    const second = await open(id);
    expect(second.candidates.candidateUsers).toEqual(['peer']);
    await claim(second._id, 'peer');
    await done(id, 'second');
    expect((await variables(id)).firstEyes).toBe('boss');
  },

  async *profileChange() {
    await person('changing', { city: 'Prague' });
    const start = (proposed: object) => workflow.start('profileChange', { personId: 'changing', proposed });
    const nothing = await start({ city: 'Prague' });
    expect(await hasEnded(nothing)).toBe(true);
    const id = await start({ city: 'Brno', country: 'CZ' });
    yield;
    expect((await variables(id)).changes).toEqual({
      city: { before: 'Prague', after: 'Brno' },
      country: { before: null, after: 'CZ' },
    });
    const refused = await workflow.completeAt(id, 'review', { decision: 'perhaps' });
    expect([refused.status, refused.body.message]).toEqual([500, expect.stringContaining("'perhaps'")]);
    expect(await workflow.openTasks(id)).toEqual(['review']);
    yield;
    await done(id, 'review', { decision: 'Accepted' });
    expect(await read('managed/user/changing')).toMatchObject({ city: 'Brno', country: 'CZ' });
  },

  async *leaver() {
    await person('leaving', { roles: [{ _ref: 'managed/role/auditor' }] });
    const record = { user: 'managed/user/leaving', userName: 'leaving', deactivatedAt: '2026-01-31' };
    const id = await workflow.start('leaver', { personId: 'leavin', record });
    await reaches(id, 'clarify');
    yield;
    await done(id, 'clarify', { personId: 'leaving' });
    await reaches(id, 'badge');
    expect([await rolesOf('leaving'), (await variables(id)).disabled]).toEqual([0, 'inactive']);
    yield;
    await done(id, 'laptop');
    expect(await workflow.openTasks(id)).toEqual(['badge']);
    await done(id, 'badge');
    expect((await variables(id)).noted).toMatchObject({ userName: 'leaving' });
    expect(await hasEnded(id)).toBe(true);
  },

  async *departmentChange() {
    await person('moving');
    const start = (more: object) =>
      workflow.start('departmentChange', { personId: 'moving', department: 'sales', region: '', ...more });
    const finance = await start({ department: 'finance' });
    const sales = await start({ region: 'north' });
    const other = await start({});
    yield;
    expect(await open(finance)).toMatchObject({ name: 'Move moving to finance, floor 3', priority: 80 });
    expect(await open(sales)).toMatchObject({ name: 'Move moving to sales, floor 1', priority: 20 });
    const { name, createTime, dueDate } = await open(other);
    expect([name, Date.parse(dueDate) - Date.parse(createTime)]).toEqual([
      'Move moving to sales, floor ',
      86_400_000,
    ]);
    await done(finance, 'move');
    expect((await read('managed/user/moving')).preferences.profile).toEqual({
      ledger: true,
      limits: [200, 400],
    });
    await done(sales, 'move');
    yield;
    expect(await read('managed/user/moving')).toMatchObject({
      department: 'sales',
      preferences: { profile: { region: 'NORTH', car: true } },
    });
  },
  async *booking() {
    const state = async (id: string) => (await read(`repo/bookings/${id}`)).state;
    const [kept, undone] = [
      await workflow.start('booking', { seat: 7 }),
      await workflow.start('booking', { seat: 8 }),
    ];
    yield;
    expect([await open(kept), await state(kept)]).toMatchObject([{ name: 'Pay for 7' }, 'booked']);
    await done(kept, 'pay', { accepted: true });
    await done(undone, 'pay', { accepted: false });
    yield;
    expect([await hasEnded(kept), await state(kept), await state(undone)]).toEqual([
      true,
      'booked',
      'undone',
    ]);
    await done(undone, 'apologise');
    expect(await hasEnded(undone)).toBe(true);
  },

  async *committee() {
    const id = await workflow.start('committee');
    yield;
    const [first, , third] = await workflow.tasks(id);
    expect([first.name, third.assignee]).toEqual(['Vote of boss, first round', 'emil']);
    expect((await workflow.get(`taskinstance/${third._id}`)).variables).toMatchObject({
      member: 'emil',
      round: 'first',
      ballot: 2,
      nrOfInstances: 3,
    });
    expect((await workflow.complete(third._id)).status).toBe(200);
    yield;
    expect((await workflow.complete(first._id)).status).toBe(200);
    const { tasks, processVariables, endTime } = await instance(id);
    expect([processVariables.votes, processVariables.ballot, endTime === null]).toEqual([
      2,
      undefined,
      false,
    ]);
    expect(tasks.map((task: { deleteReason: unknown }) => task.deleteReason === null)).toEqual([
      true,
      false,
      true,
    ]);
    expect(tasks[2].taskLocalVariables).toEqual({ ballot: 2 });
  },

  async *shipment() {
    const id = await workflow.start('shipment', { items: ['book', 'lamp'], weight: 2 });
    const parcel = async () => (await workflow.list('processinstance', `superProcessInstanceId=${id}`))[0];
    yield;
    const book = await parcel();
    expect([book.businessKey, (await open(book._id)).name]).toEqual(['svc-admin', 'Carry book of 4 kg']);
    await done(book._id, 'carry', { receipt: 'r1' });
    yield;
    const lamp = await parcel();
    expect([(await open(lamp._id)).name, (await variables(id)).receipt]).toEqual([
      'Carry lamp of 4 kg',
      'r1',
    ]);
    await done(lamp._id, 'carry', { receipt: null });
    expect(await workflow.openTasks(id)).toEqual(['search']);
    await done(id, 'search');
    expect(await hasEnded(id)).toBe(true);
  },

  async *watch() {
    const id = await workflow.start('watch');
    const asked = await api('POST', 'workflow/message?_action=send', {
      body: { name: 'watchAsk', processInstanceId: id },
    });
    expect(asked.status).toBe(200);
    yield;
    await eventually(
      () => variables(id),
      ({ reminders }) => reminders === 2,
    );
    expect((await workflow.openTasks(id)).sort()).toEqual(['answer', 'work']);
    await done(id, 'work');
    yield;
    await reaches(id, 'repair');
    expect([await workflow.openTasks(id), (await variables(id)).reminders]).toEqual([['repair'], 2]);
    await done(id, 'repair');
    expect(await hasEnded(id)).toBe(true);
  },

  async *alarm() {
    const [one, other] = [await workflow.start('alarm'), await workflow.start('alarm')];
    yield;
    await workflow.start('alarmBell');
    for (const id of [one, other]) await reaches(id, 'extinguish');
    await done(one, 'extinguish');
    yield;
    expect((await workflow.openTasks(one)).sort()).toEqual(['evacuate', 'inform']);
    await done(one, 'evacuate');
    expect(await workflow.openTasks(one)).toEqual(['inform']);
    await done(one, 'inform');
    expect([await hasEnded(one), await hasEnded(other)]).toEqual([true, false]);
  },
};

/** After each of so many steps the node is killed. */
const STRIDE = longOr(1, 3);

test('each sample comes to its end, though the node is killed between its steps', async () => {
  expect(FILES.map((file) => file.split('.')[0]).sort()).toEqual(Object.keys(SAMPLES).sort());
  const running = new Map(Object.entries(SAMPLES).map(([name, sample]) => [name, sample()]));
  for (let taken = 1; ; taken += 1) {
    const steps = [...running].map(async ([name, sample]) => {
      try {
        if ((await sample.next()).done === true) running.delete(name);
      } catch (error) {
        throw new Error(`${name}: ${error instanceof Error ? error.message : error}`, { cause: error });
      }
    });
    const failed = (await Promise.allSettled(steps)).filter((step) => step.status === 'rejected');
    if (failed.length > 0)
      throw new AggregateError(
        failed.map(({ reason }) => reason),
        failed.map(({ reason }) => reason.message).join('\n'),
      );
    if (running.size === 0) break;
    if (taken % STRIDE !== 0) continue;
    node.signal('SIGKILL');
    await node.ended;
    await startNode();
  }
  expect(await workflow.list('job/deadletter')).toEqual([]);
});
