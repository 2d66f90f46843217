/** What a migration would hold up of a cluster that works: locks that last as long as a table is large, and changes that older nodes trip over. */
export interface Stall {
  readonly rule: StallRule;
  readonly statement: string;
}

export type StallRule =
  | 'index-not-concurrent'
  | 'table-rewritten'
  | 'constraint-scans-table'
  | 'rows-changed-at-once'
  | 'taken-away';

/** What is short for a moment whatever it holds: as many rows as nodes or settings. */
const SMALL = new Set(['cluster_node', 'scheduler_setting', 'schema_version', 'workflow_state']);
const VOLATILE = /default\s+(?:clock_timestamp|gen_random_uuid|random|nextval|uuidv\d|timeofday)\b/;
const REWRITES = /\bgenerated (?:always|by default) as|\b(?:small|big)?serial\b|\bset (?:un)?logged\b/;
const RETYPES = /\balter (?:column )?\S+ (?:set data )?type\b/;

/** @param text a file of `migrations/` */
export function findStalls(text: string): readonly Stall[] {
  const made = new Set<string>();
  const isBreaking = text.startsWith('-- breaking:');
  return statementsOf(text).flatMap((statement) => {
    const created = /^create (?:unlogged )?table (?:if not exists )?(\S+)/.exec(statement)?.[1];
    if (created !== undefined) made.add(created);
    const table = tableOf(statement);
    if (table === undefined || made.has(table) || SMALL.has(table)) return [];
    return rulesOf(statement)
      .filter((rule) => rule !== 'taken-away' || !isBreaking)
      .map((rule) => ({ rule, statement }));
  });
}

function rulesOf(statement: string): readonly StallRule[] {
  const found: StallRule[] = [];
  if (/^create (?:unique )?index (?!concurrently)/.test(statement)) found.push('index-not-concurrent');
  if (/^(?:update|delete|with\b.*\b(?:update|delete))\b/.test(statement)) found.push('rows-changed-at-once');
  if (!statement.startsWith('alter table')) return found;
  if (VOLATILE.test(statement) || REWRITES.test(statement) || RETYPES.test(statement))
    found.push('table-rewritten');
  const adds = /\badd (?:constraint \S+ )?(?:check|foreign key|primary key|unique|exclude)\b|\breferences\b/;
  const isLater = /\bnot valid\b|\busing index\b/.test(statement);
  const ofColumn = /\badd column\b[^,]*\b(?:check|unique|primary key)\b/;
  if ((adds.test(statement) || ofColumn.test(statement)) && !isLater) found.push('constraint-scans-table');
  if (/\bset not null\b|\battach partition\b/.test(statement)) found.push('constraint-scans-table');
  if (/\bdrop (?:column )?(?!constraint|default|not null|expression|identity)\w+|\brename\b/.test(statement))
    found.push('taken-away');
  return [...new Set(found)];
}

function tableOf(statement: string): string | undefined {
  const named =
    /^alter table (?:if exists )?(?:only )?(\S+)/.exec(statement) ??
    /^create (?:unique )?index .*?\bon (?:only )?(\S+)/.exec(statement) ??
    /^(?:update|delete from) (?:only )?(\S+)/.exec(statement);
  return named?.[1]?.replace(/\(.*$/, '');
}

/** In small letters and on one line each, without comments, texts and bodies of functions. */
function statementsOf(text: string): readonly string[] {
  return text
    .replaceAll(/--.*$/gm, '')
    .replaceAll(/\$(\w*)\$[\s\S]*?\$\1\$/g, "''")
    .replaceAll(/'(?:[^']|'')*'/g, "''")
    .toLowerCase()
    .split(';')
    .map((statement) => statement.replaceAll(/\s+/g, ' ').trim())
    .filter((statement) => statement !== '');
}
