import { useQuery } from '@tanstack/react-query';
import type { Page } from '#client/index.ts';
import { Badge } from '../../parts/badge.tsx';
import { client } from '../../session/client.ts';
import { useWords } from '../../words/words.ts';
import { words } from './words.ts';

/** As `workflow/processdefinition` shows it: one version of a process. */
export interface Definition {
  readonly _id: string;
  readonly key: string;
  readonly name: string | null;
  readonly description: string | null;
  readonly version: number;
  readonly resourceName: string;
  readonly suspended: boolean;
  readonly suspendedBy?: string;
}

/** As `workflow/processinstance` shows it. */
export interface Instance {
  readonly _id: string;
  readonly businessKey: string | null;
  readonly deleteReason: string | null;
  readonly endTime: string | null;
  readonly durationInMillis: number | null;
  readonly processDefinitionId: string;
  readonly processDefinitionKey: string;
  readonly processDefinitionName: string | null;
  readonly processVariables: Readonly<Record<string, unknown>>;
  readonly startTime: string;
  readonly startUserId: string | null;
  readonly superProcessInstanceId: string | null;
  readonly suspended?: boolean;
}

export function InstanceState({
  of: { endTime, deleteReason, suspended },
}: {
  readonly of: Pick<Instance, 'endTime' | 'deleteReason' | 'suspended'>;
}) {
  const t = useWords(words);
  if (endTime !== null && deleteReason !== null) {
    return (
      <Badge tone="quiet" mark="⊘">
        {t.cancelled}
      </Badge>
    );
  }
  if (endTime !== null) {
    return (
      <Badge tone="good" mark="✓">
        {t.over}
      </Badge>
    );
  }
  return suspended === true ? (
    <Badge tone="warn" mark="‖">
      {t.suspended}
    </Badge>
  ) : (
    <Badge tone="info" mark="◍">
      {t.running}
    </Badge>
  );
}

/**
 * All versions of a process, the latest first.
 *
 * @param lookMs looks again so often: no event tells of a deployment
 */
export function useVersions(key: string | undefined, lookMs?: number) {
  return useQuery({
    queryKey: ['definition', 'versions', key],
    queryFn: async () => {
      const { result } = await client.send<Page<Definition>>({
        method: 'GET',
        path: ['workflow', 'processdefinition'],
        parameters: { _queryId: 'filtered-query', key },
      });
      return [...result].sort((a, b) => b.version - a.version);
    },
    enabled: key !== undefined,
    refetchInterval: lookMs ?? false,
    retry: false,
  });
}

export function addressOf(kind: 'definition' | 'instance', id: string): string {
  return `/processes/${kind}/${encodeURIComponent(id)}`;
}

/** A process file as the server gives it, in base64. */
export function textOfFile(base64: string): string {
  return new TextDecoder().decode(Uint8Array.from(atob(base64), (each) => each.charCodeAt(0)));
}
