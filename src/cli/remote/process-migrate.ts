import { type Client, filter, type JsonObject, SvcError } from '#client/index.ts';
import { EXIT } from '../command.ts';
import { complain } from '../typed-name.ts';
import { UsageError } from '../usage-error.ts';
import { agreed, DRY_RUN } from './change.ts';
import { type Flags, textOf } from './connection.ts';
import { isTable, ListWriter, say, showObject } from './output.ts';
import { isTerminal } from './prompt.ts';
import type { Asked } from './remote-command.ts';
import type { Verb } from './verb.ts';

interface Plan {
  readonly from: string;
  readonly to: string;
  readonly instances: number;
  readonly ok: number;
  readonly refused: number;
  readonly truncated?: boolean;
  readonly elements: readonly (JsonObject & { readonly element: string })[];
}

/** `svc process migrate <key>`: the plan first, and then each instance that can. */
export const migrateVerb: Verb = {
  does: 'has the instances of one version go on by another; shows the plan, and asks',
  takes: ['<key>', '[old=new …]'],
  flags: {
    plan: { does: 'shows the plan alone; ends with 1 when an instance cannot' },
    ...DRY_RUN,
    from: { value: '<version>', does: 'its number; default: the only other one that has instances' },
    to: { value: '<version>', does: 'its number; default: the latest' },
    'business-key': { value: '<key>', does: 'those alone' },
    'started-by': { value: '<user>', does: 'those alone' },
    yes: { short: 'y', does: 'does not ask' },
  },
  example: 'svc process migrate accessRequest approve=decide --plan',
  async run(asked, key: string, ...renamed: string[]) {
    const { client, flags, form } = asked;
    const mapping = mappingOf(renamed);
    const { from, to } = await versionsOf(client, key, flags);
    const parameters = selectionOf(flags);
    const body = { to, mapping, ...filterOf(parameters) };
    const definitions = client.resource('workflow/processdefinition');
    const plan = await definitions.action<Plan>('planMigration', { id: from, body });
    const isPlan = flags['plan'] === true || flags['dry-run'] === true;
    if (isTable(form)) showPlan(asked, plan);
    else if (isPlan) showObject({ _id: from, ...plan }, form);
    if (isPlan) return plan.refused === 0 ? EXIT.OK : EXIT.FINDING;
    if (plan.instances === 0) return EXIT.OK;
    if (flags['yes'] !== true && !isTerminal())
      throw new UsageError('--plan shows what it would do, and --yes does it');
    await agreed(flags, `Migrate ${plan.ok} of ${plan.instances} instances?`);
    return migrateAll(asked, { from, to, mapping, parameters });
  },
};

interface Migration {
  readonly from: string;
  readonly to: string;
  readonly mapping: Readonly<Record<string, string>>;
  readonly parameters: Readonly<Record<string, string>>;
}

/** Each is a request of its own: one that cannot keeps none of the others. */
async function migrateAll({ client, form }: Asked, migration: Migration): Promise<number> {
  const { from, to, mapping, parameters } = migration;
  const instances = client.resource('workflow/processinstance');
  const ids: string[] = [];
  const query = { queryId: 'filtered-query', parameters: { ...parameters, processDefinitionId: from } };
  // They leave the list as they go.
  for await (const { _id } of instances.query({ ...query, fields: ['_id'] })) ids.push(_id);
  let failed = 0;
  for (const id of ids) {
    try {
      await instances.action('migrate', { id, body: { processDefinitionId: to, mapping } });
      say(form === 'json' ? JSON.stringify({ _id: id, from, to }) : id);
    } catch (error) {
      if (!(error instanceof SvcError) || error.code >= 500 || error.code === 401 || error.code === 403)
        throw error;
      failed += 1;
      const refusals: unknown = error.body.detail?.['refusals'];
      const why = Array.isArray(refusals)
        ? refusals.map(({ element, message }) => `${element} ${message}`).join('; ')
        : error.message;
      complain(`✗ ${id}  ${why}`);
    }
  }
  return failed === 0 ? EXIT.OK : EXIT.FINDING;
}

function showPlan({ form }: Asked, { from, to, instances, ok, refused, truncated, elements }: Plan): void {
  say(`${from} → ${to}: ${instances} instances, ${ok} can, ${refused} cannot`);
  if (truncated === true) say('(there are more instances than were looked at)');
  const rows = elements.map(({ element, to: target, instances: there, isOk, reason }) => ({
    _id: element,
    to: target,
    instances: there,
    can: isOk === true ? 'yes' : `no: ${reason}`,
  }));
  if (rows.length > 0) new ListWriter(form, ['to', 'instances', 'can']).show(rows);
}

function mappingOf(renamed: readonly string[]): Readonly<Record<string, string>> {
  const pairs = renamed.map((text) => {
    const [, before, after] = /^([^=]+)=([^=]+)$/.exec(text) ?? [];
    if (before === undefined || after === undefined)
      throw new UsageError(`'${text}' is no old=new, of ids of elements`);
    return [before, after];
  });
  return Object.fromEntries(pairs);
}

function selectionOf(flags: Flags): Readonly<Record<string, string>> {
  const [businessKey, user] = [textOf(flags, 'business-key'), textOf(flags, 'started-by')];
  return {
    ...(businessKey === undefined ? {} : { processInstanceBusinessKey: businessKey }),
    ...(user === undefined ? {} : { startUserId: user }),
  };
}

/** The plan takes a filter for what lists take as parameters. */
function filterOf(parameters: Readonly<Record<string, string>>): { queryFilter?: string } {
  const conditions = Object.entries(parameters).map(
    ([name, value]) => `${name === 'startUserId' ? name : 'businessKey'} eq ${filter`${value}`.text}`,
  );
  return conditions.length === 0 ? {} : { queryFilter: conditions.join(' and ') };
}

async function versionsOf(client: Client, key: string, flags: Flags): Promise<{ from: string; to: string }> {
  const versions = new Map<string, string>();
  const query = { queryId: 'filtered-query', parameters: { key } };
  for await (const { _id, version } of client.resource('workflow/processdefinition').query(query)) {
    versions.set(String(version), _id);
  }
  if (versions.size === 0) throw new UsageError(`there is no process '${key}'`);
  const numbers = [...versions.keys()].sort((one, other) => Number(one) - Number(other));
  const find = (flag: string): string | undefined => {
    const given = textOf(flags, flag);
    if (given === undefined || versions.has(given)) return given;
    throw new UsageError(`'${key}' has no version ${given}; it has ${numbers.join(', ')}`);
  };
  const to = find('to') ?? numbers.at(-1) ?? '';
  const from = find('from') ?? (await onlyOther(client, key, versions, to));
  if (from === to) throw new UsageError(`--from and --to are both version ${to}`);
  return { from: versions.get(from) ?? '', to: versions.get(to) ?? '' };
}

async function onlyOther(
  client: Client,
  key: string,
  versions: ReadonlyMap<string, string>,
  to: string,
): Promise<string> {
  const used: string[] = [];
  for (const [version, id] of versions) {
    if (version === to) continue;
    const query = { queryId: 'filtered-query', parameters: { processDefinitionId: id }, pageSize: 1 };
    for await (const _first of client.resource('workflow/processinstance').query(query)) {
      used.push(version);
      break;
    }
  }
  const [version, other] = used;
  if (version === undefined) throw new UsageError(`no other version of '${key}' has instances`);
  if (other !== undefined)
    throw new UsageError(`versions ${used.join(', ')} of '${key}' have instances; --from names one`);
  return version;
}
