import type { Write } from './foreign-repository.ts';

/** Which engine keeps the tables: Activiti 5.15 or Flowable 7.2. */
export type Engine = 'activiti' | 'flowable';

interface Dialect {
  readonly text: string;
  readonly long: string;
  readonly flag: string;
  readonly time: string;
  readonly bytes: string;
}

const DIALECTS: Readonly<Record<'postgres' | 'mysql', Dialect>> = {
  postgres: { text: 'varchar(4000)', long: 'bigint', flag: 'boolean', time: 'timestamp', bytes: 'bytea' },
  mysql: { text: 'varchar(1000)', long: 'bigint', flag: 'tinyint', time: 'datetime(3)', bytes: 'longblob' },
};

type Kind = keyof Dialect;
type Columns = Readonly<Record<string, Kind>>;

const texts = (names: string): Columns => Object.fromEntries(names.split(' ').map((name) => [name, 'text']));
const times = (names: string): Columns => Object.fromEntries(names.split(' ').map((name) => [name, 'time']));

/** The columns that either engine has; `flowable` are those that the older one lacks. */
const TABLES: Readonly<Record<string, { readonly both: Columns; readonly flowable?: Columns }>> = {
  ACT_RE_DEPLOYMENT: { both: { ...texts('NAME_ CATEGORY_ TENANT_ID_'), ...times('DEPLOY_TIME_') } },
  ACT_GE_BYTEARRAY: { both: { ...texts('NAME_ DEPLOYMENT_ID_'), BYTES_: 'bytes', GENERATED_: 'flag' } },
  ACT_RE_PROCDEF: {
    both: {
      ...texts('KEY_ NAME_ DEPLOYMENT_ID_ RESOURCE_NAME_ TENANT_ID_'),
      VERSION_: 'long',
      SUSPENSION_STATE_: 'long',
    },
  },
  ACT_RU_EXECUTION: {
    both: {
      ...texts('PROC_INST_ID_ BUSINESS_KEY_ PARENT_ID_ PROC_DEF_ID_ SUPER_EXEC_ ACT_ID_ TENANT_ID_'),
      ...{ IS_ACTIVE_: 'flag', IS_CONCURRENT_: 'flag', IS_SCOPE_: 'flag', IS_EVENT_SCOPE_: 'flag' },
      SUSPENSION_STATE_: 'long',
    },
    flowable: {
      ...texts('NAME_ START_USER_ID_ ROOT_PROC_INST_ID_'),
      ...times('START_TIME_'),
      IS_MI_ROOT_: 'flag',
    },
  },
  ACT_RU_TASK: {
    both: {
      ...texts(
        'EXECUTION_ID_ PROC_INST_ID_ PROC_DEF_ID_ NAME_ PARENT_TASK_ID_ DESCRIPTION_ TASK_DEF_KEY_ OWNER_',
      ),
      ...texts('ASSIGNEE_ DELEGATION_ CATEGORY_ TENANT_ID_'),
      ...times('CREATE_TIME_ DUE_DATE_'),
      PRIORITY_: 'long',
    },
    flowable: { ...texts('FORM_KEY_'), ...times('CLAIM_TIME_') },
  },
  ACT_RU_VARIABLE: {
    both: {
      ...texts('TYPE_ NAME_ EXECUTION_ID_ PROC_INST_ID_ TASK_ID_ BYTEARRAY_ID_ TEXT_ TEXT2_ DOUBLE_'),
      LONG_: 'long',
    },
  },
  ACT_RU_EVENT_SUBSCR: {
    both: texts('EVENT_TYPE_ EVENT_NAME_ EXECUTION_ID_ PROC_INST_ID_ ACTIVITY_ID_ CONFIGURATION_'),
  },
  ACT_RU_IDENTITYLINK: { both: texts('GROUP_ID_ TYPE_ USER_ID_ TASK_ID_ PROC_INST_ID_ PROC_DEF_ID_') },
  ACT_HI_PROCINST: {
    both: { ...texts('PROC_INST_ID_ START_USER_ID_ DELETE_REASON_'), ...times('START_TIME_ END_TIME_') },
  },
  ACT_HI_ACTINST: {
    both: {
      ...texts('PROC_INST_ID_ EXECUTION_ID_ ACT_ID_ TASK_ID_ ACT_TYPE_'),
      ...times('START_TIME_ END_TIME_'),
    },
    flowable: texts('DELETE_REASON_'),
  },
  ACT_HI_TASKINST: {
    both: {
      ...texts('PROC_INST_ID_ NAME_ DESCRIPTION_ OWNER_ ASSIGNEE_ CATEGORY_ FORM_KEY_ DELETE_REASON_'),
      ...times('START_TIME_ CLAIM_TIME_ END_TIME_ DUE_DATE_'),
      PRIORITY_: 'long',
    },
  },
};
const JOB: Columns = {
  ...texts(
    'TYPE_ EXECUTION_ID_ PROCESS_INSTANCE_ID_ PROC_DEF_ID_ EXCEPTION_MSG_ REPEAT_ HANDLER_TYPE_ HANDLER_CFG_',
  ),
  ...times('DUEDATE_'),
  RETRIES_: 'long',
};
const JOB_TABLES = ['ACT_RU_TIMER_JOB', 'ACT_RU_SUSPENDED_JOB', 'ACT_RU_DEADLETTER_JOB'];

export async function makeActTables(write: Write, kind: 'postgres' | 'mysql', engine: Engine): Promise<void> {
  const dialect = DIALECTS[kind];
  const make = (name: string, columns: Columns) => {
    const written = Object.entries(columns).map(([column, type]) => `${column} ${dialect[type]}`);
    return write(`create table ${name} (ID_ varchar(64) primary key, ${written.join()})`);
  };
  const isNew = engine === 'flowable';
  for (const [name, { both, flowable }] of Object.entries(TABLES)) {
    await make(name, { ...both, ...(isNew ? flowable : {}) });
  }
  await make('ACT_RU_JOB', isNew ? { ...JOB, ...texts('ELEMENT_ID_') } : JOB);
  if (isNew) for (const name of JOB_TABLES) await make(name, { ...JOB, ...texts('ELEMENT_ID_') });
}

export type ActValue = string | number | boolean | Buffer;

/** Writes rows; each has an id of its own where it is given none. */
export function actRows(write: Write) {
  let next = 1_000;
  const put = async (table: string, row: Readonly<Record<string, ActValue>>): Promise<string> => {
    const whole = { ID_: String(next++), ...row };
    const names = Object.keys(whole);
    await write(
      `insert into ${table} (${names.join()}) values (${names.map(() => '?').join()})`,
      Object.values(whole),
    );
    return String(whole.ID_);
  };
  return {
    put,
    /** A version of a process. @returns its id */
    async deploy(key: string, file: string, version = 1): Promise<string> {
      const deployment = await put('ACT_RE_DEPLOYMENT', { NAME_: key, DEPLOY_TIME_: '2026-01-02 03:04:05' });
      const name = `/opt/openidm/workflow/${key}.bpmn20.xml`;
      await put('ACT_GE_BYTEARRAY', {
        NAME_: name,
        DEPLOYMENT_ID_: deployment,
        BYTES_: Buffer.from(file),
        GENERATED_: false,
      });
      const drawn = {
        NAME_: `${key}.png`,
        DEPLOYMENT_ID_: deployment,
        BYTES_: Buffer.from('image'),
        GENERATED_: true,
      };
      await put('ACT_GE_BYTEARRAY', drawn);
      const id = `${key}:${version}:${next}`;
      const facts = { KEY_: key, VERSION_: version, DEPLOYMENT_ID_: deployment, RESOURCE_NAME_: name };
      return put('ACT_RE_PROCDEF', { ID_: id, ...facts, SUSPENSION_STATE_: 1 });
    },
    /** An execution that lives in another, or is an instance where it lives in none. */
    async execution(
      definition: string,
      { instance, ...row }: Readonly<Record<string, ActValue>> & { readonly instance?: string } = {},
    ): Promise<string> {
      const id = String(next++);
      const usual = {
        IS_ACTIVE_: true,
        IS_SCOPE_: instance === undefined,
        IS_EVENT_SCOPE_: false,
        SUSPENSION_STATE_: 1,
      };
      const given = { ID_: id, PROC_INST_ID_: instance ?? id, PROC_DEF_ID_: definition, ...usual };
      return put('ACT_RU_EXECUTION', { ...given, ...row });
    },
    task: (
      instance: string,
      execution: string,
      element: string,
      row: Readonly<Record<string, ActValue>> = {},
    ) =>
      put('ACT_RU_TASK', {
        EXECUTION_ID_: execution,
        PROC_INST_ID_: instance,
        TASK_DEF_KEY_: element,
        NAME_: element,
        PRIORITY_: 50,
        CREATE_TIME_: '2026-02-03 10:20:30.456',
        ...row,
      }),
    variable: (instance: string, name: string, type: string, row: Readonly<Record<string, ActValue>>) =>
      put('ACT_RU_VARIABLE', {
        EXECUTION_ID_: instance,
        PROC_INST_ID_: instance,
        NAME_: name,
        TYPE_: type,
        ...row,
      }),
  };
}
