import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type DryRun, SvcError } from '#client/index.ts';
import { client } from '../../session/client.ts';

/** What the server has to say of an element of a process file. */
export interface ModelFinding {
  readonly id: string;
  readonly element: string;
  readonly message: string;
  readonly hint?: string;
  readonly isWrong: boolean;
}

interface Deployed {
  readonly definitions: readonly {
    readonly _id: string;
    readonly findings: readonly Omit<ModelFinding, 'isWrong'>[];
  }[];
}

const SETTLED_MS = 600;

/** What a deployment would say, asked when nobody has changed the file for a moment. Nothing is deployed. */
export function useCheck(name: string, xml: string | undefined) {
  return useQuery({
    queryKey: ['model check', name, xml],
    queryFn: async ({ signal }): Promise<readonly ModelFinding[]> => {
      await new Promise((resolve) => setTimeout(resolve, SETTLED_MS));
      signal.throwIfAborted();
      try {
        const { result } = await client.send<DryRun<Deployed>>({
          method: 'POST',
          path: ['workflow', 'deployment'],
          parameters: { _action: 'deploy', _dryRun: 'true' },
          body: { name, content: xml },
          signal,
        });
        return result.definitions
          .flatMap(({ findings }) => findings)
          .map((finding) => ({ ...finding, isWrong: false }));
      } catch (error) {
        if (error instanceof SvcError && error.code === 400) return refusalsOf(error);
        throw error;
      }
    },
    enabled: xml !== undefined,
    placeholderData: keepPreviousData,
    gcTime: 0,
    retry: false,
  });
}

/** All that keeps it from being deployed; what is wrong with the file as a whole belongs to no element. */
function refusalsOf(error: SvcError): readonly ModelFinding[] {
  const listed = error.body.detail?.['findings'];
  const whole = { id: error.id ?? '', element: '', message: error.message, isWrong: true };
  const { hint } = error;
  if (!Array.isArray(listed) || listed.length === 0) return [hint === undefined ? whole : { ...whole, hint }];
  return listed.map((finding) => ({ ...whole, ...finding, isWrong: true }));
}
