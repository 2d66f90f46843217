import type { Database } from '#database/index.ts';
import { localDateTimeToInstant, type TimeZone } from '#time/index.ts';
import { type AdoptedDefinition, type ForeignInstance, ProcessImport } from '#workflow/index.ts';
import type { ForeignDatabase } from '../repository/foreign-database-repository.ts';
import { printOf } from '../repository/foreign-object.ts';
import { findProcess, forgetProcess, listProcesses, noteProcess } from '../repository/store-repository.ts';
import type { Tally } from '../repository/tally.ts';
import { readInstance } from './act-instance.ts';
import type { ActInstance } from './act-rows.ts';
import {
  type ActRow,
  countLooseTasks,
  findBytes,
  findDeployment,
  findResources,
  isOldEngine,
  listExecutions,
  listJobs,
  listOf,
  listProcessDefinitions,
  pagesOfRoots,
} from './act-tables-repository.ts';

export const PROCESSES = 'workflow/processinstance';
export const DEFINITIONS = 'workflow/processdefinition';
const ACTIVE = '1';

export interface ProcessOptions {
  readonly foreign: ForeignDatabase;
  /** The zone in which the other engine writes times. */
  readonly zone: TimeZone;
  readonly place: string;
  readonly database: Database;
  /** The role of everybody who is somebody. */
  readonly role: string;
  readonly isApplied: boolean;
  readonly deletes: boolean;
  readonly tally: Tally;
  readonly signal?: AbortSignal;
}

type Definitions = ReadonlyMap<string, AdoptedDefinition>;

/** An instance that nobody has called, and those that it has. */
interface Tree {
  readonly id: string;
  readonly isSuspended: boolean;
  readonly print: string;
  readonly instances: readonly ActInstance[];
  readonly bytes: ReadonlyMap<string, string>;
}

/**
 * Process instances where they rest, and the versions that they run. Here they stand still until `svc import finish`, because
 * the other engine has them still.
 */
export async function takeProcesses(options: ProcessOptions): Promise<void> {
  const { foreign, database, place, tally, isApplied, signal } = options;
  const into = new ProcessImport(database, place);
  const definitions = await takeDefinitions(options, into);
  tally.of(PROCESSES);
  const met = new Set<string>();
  for await (const roots of pagesOfRoots(foreign)) {
    if (signal?.aborted === true) return;
    for (const tree of await readTrees(foreign, roots)) {
      met.add(tree.id);
      await takeTree(options, into, definitions, tree);
    }
  }
  await takeAway(options, into, met);
  const loose = await countLooseTasks(foreign);
  const reason = 'Tasks without a process have no place here';
  if (loose > 0) tally.remark({ about: 'workflow/taskinstance', id: null, reason, isLeft: true }, loose);
  if (isApplied && tally.of(PROCESSES).created > 0) {
    const waits =
      'They stand still until svc import finish: stop the job executor of the other server before that';
    tally.remark({ about: PROCESSES, id: null, reason: waits, isLeft: false });
  }
}

/** Versions of which instances run, and the latest of each process. */
async function takeDefinitions(
  { foreign, tally, isApplied, zone }: ProcessOptions,
  into: ProcessImport,
): Promise<Definitions> {
  const rows = await listProcessDefinitions(foreign);
  const running = new Set(await listUsed(foreign));
  const latest = new Map<string, ActRow>();
  for (const row of rows) {
    const known = latest.get(row['key'] ?? '');
    if (known === undefined || Number(row['version']) > Number(known['version']))
      latest.set(row['key'] ?? '', row);
  }
  const wanted = rows.filter((row) => running.has(row['id'] ?? '') || latest.get(row['key'] ?? '') === row);
  const adopted = new Map<string, AdoptedDefinition>();
  for (const [deploymentId, own] of Map.groupBy(wanted, (row) => row['deployment_id'] ?? '')) {
    const deployment = await findDeployment(foreign, deploymentId);
    const resources = await findResources(foreign, deploymentId);
    const single = resources.size === 1;
    const [only] = resources.keys();
    // A file by itself is known by its name, so that a node which finds the same in its folder deploys nothing.
    const named = new Map([...resources].map(([name, bytes]) => [single ? baseOf(name) : name, bytes]));
    const found = await into.adoptDefinitions(
      {
        name: baseOf(single ? (only ?? '') : (deployment?.['name'] ?? deploymentId)),
        deployedAt: deployment?.['deploy_time'] == null ? 0 : instantOf(deployment['deploy_time'], zone),
        resources: named,
        definitions: own.map((row) => ({
          id: row['id'] ?? '',
          key: row['key'] ?? '',
          version: Number(row['version'] ?? 1),
          resourceName: single ? baseOf(row['resource_name'] ?? '') : (row['resource_name'] ?? ''),
          tenantId: row['tenant_id'] ?? '',
          isSuspended: (row['suspension_state'] ?? ACTIVE) !== ACTIVE,
        })),
      },
      isApplied,
    );
    for (const [id, definition] of found) {
      adopted.set(id, definition);
      const counts = tally.of(DEFINITIONS);
      counts.read++;
      if ('reason' in definition)
        tally.remark({ about: DEFINITIONS, id, reason: definition.reason, isLeft: true });
      else if (definition.isNew) counts.created++;
      else counts.unchanged++;
    }
  }
  return adopted;
}

async function listUsed(foreign: ForeignDatabase): Promise<string[]> {
  const rows = await foreign.rows(`select distinct proc_def_id_ from ${foreign.table('act_ru_execution')}`);
  return rows.flatMap(([id]) => id ?? []);
}

const baseOf = (name: string) => name.slice(name.lastIndexOf('/') + 1);

export async function readTrees(
  foreign: ForeignDatabase,
  roots: readonly string[],
): Promise<readonly Tree[]> {
  const executions = await listExecutions(foreign, roots);
  const instances = [...new Set(executions.map((row) => row['proc_inst_id'] ?? ''))];
  const of = (table: Parameters<typeof listOf>[1]) => listOf(foreign, table, 'proc_inst_id', instances);
  const tasks = await of('act_ru_task');
  const rows = {
    executions,
    tasks,
    variables: await of('act_ru_variable'),
    jobs: (await listJobs(foreign, instances)).map((row) => ({
      ...row,
      proc_inst_id: row['process_instance_id'] ?? null,
    })),
    subscriptions: await of('act_ru_event_subscr'),
    begun: await of('act_hi_procinst'),
    activities: (await of('act_hi_actinst')).filter(({ act_type }) => act_type !== 'sequenceFlow'),
    taskHistory: await of('act_hi_taskinst'),
  };
  const taskIds = tasks.map(({ id }) => id ?? '');
  const ofTask = new Map(tasks.map((row) => [row['id'], row['proc_inst_id'] ?? null]));
  const links: readonly ActRow[] = [
    ...(await of('act_ru_identitylink')),
    ...(await listOf(foreign, 'act_ru_identitylink', 'task_id', taskIds)).map((row) => ({
      ...row,
      proc_inst_id: ofTask.get(row['task_id'] ?? null) ?? null,
    })),
  ];
  const uniqueLinks = [...new Map(links.map((row) => [row['id'], row])).values()];
  const bytes = await findBytes(
    foreign,
    rows.variables.flatMap(({ bytearray_id }) => bytearray_id ?? []),
  );
  const byId = new Map(executions.map((row) => [row['id'] ?? '', row]));
  const grouped = new Map<string, ReadonlyMap<string, readonly ActRow[]>>();
  const all: Readonly<Record<string, readonly ActRow[]>> = { ...rows, links: uniqueLinks };
  for (const [name, own] of Object.entries(all)) {
    grouped.set(
      name,
      Map.groupBy(own, (row) => row['proc_inst_id'] ?? ''),
    );
  }
  const rowsOf = (name: string, id: string) => grouped.get(name)?.get(id) ?? [];
  const instanceOf = (id: string): ActInstance => {
    const caller = byId.get(byId.get(id)?.['super_exec'] ?? '');
    return {
      id,
      executions: rowsOf('executions', id),
      tasks: rowsOf('tasks', id),
      variables: rowsOf('variables', id),
      jobs: rowsOf('jobs', id),
      subscriptions: rowsOf('subscriptions', id),
      links: rowsOf('links', id),
      begun: rowsOf('begun', id)[0],
      activities: rowsOf('activities', id),
      taskHistory: rowsOf('taskHistory', id),
      ...(caller === undefined
        ? {}
        : { caller: { instance: caller['proc_inst_id'] ?? '', ref: caller['id'] ?? '' } }),
    };
  };
  return roots.map((root) => {
    const ids = [root];
    for (const id of ids) {
      for (const { id: called, super_exec: by } of executions) {
        if (by != null && byId.get(by)?.['proc_inst_id'] === id) ids.push(called ?? '');
      }
    }
    const own = ids.map(instanceOf);
    const held = own.flatMap(({ variables }) =>
      variables.map(({ bytearray_id }) => bytes.get(bytearray_id ?? '') ?? ''),
    );
    return {
      id: root,
      isSuspended: (byId.get(root)?.['suspension_state'] ?? ACTIVE) !== ACTIVE,
      print: printOf(JSON.parse(JSON.stringify([own, held]))),
      instances: own,
      bytes,
    };
  });
}

async function takeTree(
  options: ProcessOptions,
  into: ProcessImport,
  definitions: Definitions,
  { id, isSuspended, print, instances, bytes }: Tree,
): Promise<void> {
  const { foreign, database, place, tally, isApplied, zone, role } = options;
  const counts = tally.of(PROCESSES);
  counts.read++;
  const leave = (reason: string) => tally.remark({ about: PROCESSES, id, reason, isLeft: true });
  const known = await findProcess(database.db, place, id);
  if (known !== undefined) {
    const here = await into.revisionOf(known.rootId);
    if (here !== known.revision) return leave('It was moved here since it came, and stays as it is here');
    if (known.print === print) {
      counts.unchanged++;
      return;
    }
  }
  const read: ForeignInstance[] = [];
  const reasons = new Set<string>();
  for (const rows of instances) {
    const definition = definitions.get(
      rows.executions.find((row) => row['id'] === rows.id)?.['proc_def_id'] ?? '',
    );
    if (definition === undefined || 'reason' in definition) {
      reasons.add(definition?.reason ?? 'Its process is not there');
      continue;
    }
    const { process } = definition;
    const at = (text: string) => instantOf(text, zone);
    const found = readInstance(rows, { process, isOld: isOldEngine(foreign), at, bytes, role });
    if ('reasons' in found) for (const reason of found.reasons) reasons.add(reason);
    else read.push(found.instance);
  }
  const plan = reasons.size > 0 ? undefined : into.plan(read, definitions);
  if (plan?.isAdopted === false) {
    for (const { element, message } of plan.refusals)
      reasons.add(element === '' ? message : `'${element}' ${message}`);
  }
  if (plan?.isAdopted !== true || reasons.size > 0) return leave([...reasons].join('; '));
  const isNew = known === undefined;
  if (isApplied) {
    const type = isSuspended ? 'suspended' : '';
    const isStored = await into.adopt(plan, known?.revision, (db, rev) =>
      noteProcess(db, place, { type, id: plan.rootId, rev, foreignRev: id, print }),
    );
    if (!isStored) return leave('It was moved here since it came, and stays as it is here');
  }
  if (isNew) counts.created++;
  else counts.updated++;
}

/** What has come and has ended there. */
async function takeAway(
  { database, place, tally, isApplied, deletes }: ProcessOptions,
  into: ProcessImport,
  met: ReadonlySet<string>,
) {
  for (const { foreignId, rootId, revision } of await listProcesses(database.db, place)) {
    if (met.has(foreignId)) continue;
    const tell = (reason: string) => tally.remark({ about: PROCESSES, id: foreignId, reason, isLeft: false });
    if (!deletes) tell('It has ended at the other server, and stays here: --delete takes it away');
    else if (!isApplied) tally.of(PROCESSES).deleted++;
    else if (await into.withdraw(rootId, revision)) {
      await forgetProcess(database.db, rootId);
      tally.of(PROCESSES).deleted++;
    } else tell('It has ended at the other server, and was moved here since it came: it stays');
  }
}

/** A time of a column, which says nothing of its zone. */
function instantOf(text: string, zone: TimeZone): number {
  const [, date = '', time = '', part = ''] =
    /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\.(\d{1,3}))?/.exec(text) ?? [];
  return localDateTimeToInstant(`${date}T${time}`, zone) + Number(part.padEnd(3, '0'));
}
