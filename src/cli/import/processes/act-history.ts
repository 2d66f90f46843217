import type { EndedActivity, TaskFacts } from '#workflow/index.ts';
import type { ActInstance, ReadOptions } from './act-rows.ts';
import type { ActRow } from './act-tables-repository.ts';

const DEFAULT_PRIORITY = 50;

type At = ReadOptions['at'];

/** A task that is open. */
export function taskOf(row: ActRow, { links, taskHistory }: ActInstance, at: At): TaskFacts {
  const old = taskHistory.find(({ id }) => id === row['id']);
  const candidates = links.filter(({ task_id, type }) => task_id === row['id'] && type === 'candidate');
  return {
    ...factsOf(row, at),
    formKey: row['form_key'] ?? old?.['form_key'] ?? null,
    candidateUsers: candidates.flatMap(({ user_id }) => user_id ?? []),
    candidateGroups: candidates.flatMap(({ group_id }) => group_id ?? []),
    delegation: delegationOf(row['delegation'] ?? null),
    createdAt: row['create_time'] == null ? Date.now() : at(row['create_time']),
    ...claimedAt(row['claim_time'] ?? old?.['claim_time'], at),
  };
}

function factsOf(row: ActRow, at: At): TaskFacts {
  const due = row['due_date'] ?? null;
  return {
    name: row['name'] ?? null,
    description: row['description'] ?? null,
    assignee: row['assignee'] ?? null,
    owner: row['owner'] ?? null,
    candidateUsers: [],
    candidateGroups: [],
    dueAt: due === null ? null : at(due),
    priority: Number(row['priority'] ?? DEFAULT_PRIORITY),
    category: row['category'] ?? null,
    formKey: row['form_key'] ?? null,
    delegation: null,
  };
}

function claimedAt(time: string | null | undefined, at: At): { readonly claimedAt?: number } {
  return time == null ? {} : { claimedAt: at(time) };
}

function delegationOf(text: string | null): TaskFacts['delegation'] {
  const lower = text?.toLowerCase();
  return lower === 'pending' || lower === 'resolved' ? lower : null;
}

/** When an instance came to where it stands, by its tokens. */
export function begunAt(
  { activities }: ActInstance,
  tokens: ReadonlyMap<string, { readonly at: string }>,
  at: At,
): ReadonlyMap<string, number> {
  return new Map(
    activities.flatMap((row) => {
      const { execution_id: id, act_id: element, end_time: end, start_time: start } = row;
      const isThere = id != null && start != null && end == null && tokens.get(id)?.at === element;
      return isThere ? [[id, at(start)] as const] : [];
    }),
  );
}

/** Where it was before, with the tasks that are done. */
export function endedOf(
  { activities, taskHistory }: ActInstance,
  { process, at }: Pick<ReadOptions, 'process' | 'at'>,
): readonly EndedActivity[] {
  return activities.flatMap((row): EndedActivity[] => {
    const { act_id: element, start_time: start, end_time: end, delete_reason: reason = null } = row;
    if (element == null || !process.nodes.has(element) || start == null || end == null) return [];
    const ended = { at: element, startedAt: at(start), endedAt: at(end), reason };
    const old = taskHistory.find(({ id }) => id === row['task_id']);
    if (old === undefined) return [ended];
    const deleteReason = old['delete_reason'] === 'completed' ? null : (old['delete_reason'] ?? null);
    return [{ ...ended, task: { ...factsOf(old, at), ...claimedAt(old['claim_time'], at), deleteReason } }];
  });
}
