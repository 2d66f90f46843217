import { useQuery } from '@tanstack/react-query';
import { OperationNote } from '../../operation/operation-note.tsx';
import { useOperation } from '../../operation/use-operation.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { Loaded } from '../../parts/page.tsx';
import { useWords } from '../../words/words.ts';
import { askAbout, type BesideAnother, chosenOf, VersionSelect } from './other-version.tsx';
import { words } from './words.ts';

interface Plan {
  readonly instances: number;
  readonly ok: number;
  readonly refused: number;
  readonly elements: readonly {
    readonly element: string;
    readonly name: string | null;
    readonly instances: number;
    readonly isOk: boolean;
    readonly reason?: string;
  }[];
}

/** Whether the instances of a version can go on by another one, element by element, as the engine itself says. */
export function Migration({ definition, others, to, onGo }: BesideAnother) {
  const t = useWords(words);
  const operation = useOperation();
  const target = chosenOf({ others, to });
  const plan = useQuery({
    queryKey: ['instance', 'plan', definition._id, target?._id],
    queryFn: () => askAbout<Plan>('planMigration', definition._id, target?._id),
    enabled: target !== undefined,
    retry: false,
  });
  if (target === undefined) return <p className="soft">{t.noVersions}</p>;
  const migrate = () =>
    void operation.begin(t.migrateAllTitle(definition.version, target.version), {
      act: 'action',
      action: 'migrate',
      resource: 'workflow/processinstance',
      queryId: 'filtered-query',
      parameters: { processDefinitionId: definition._id },
      content: { processDefinitionId: target._id },
    });
  return (
    <div className="stack">
      {operation.id === undefined ? null : (
        <OperationNote id={operation.id} name="processinstance" touches={['instance']} />
      )}
      <div className="narrow">
        <VersionSelect label={t.migrateTo} chosen={target} others={others} onGo={onGo} />
      </div>
      <Loaded of={plan}>
        {({ instances, ok, elements }) => (
          <div className="card card-body stack">
            <p>{t.plan(ok, instances)}</p>
            <ul className="lines">
              {elements.map(({ element, name, instances: here, isOk, reason }) => (
                <li key={element}>
                  <Badge tone={isOk ? 'good' : 'bad'} mark={isOk ? '✓' : '✗'}>
                    {isOk ? t.canMove : t.cannotMove}
                  </Badge>
                  <strong>{name ?? element}</strong>
                  <span className="soft">{t.here(here)}</span>
                  <span>{reason}</span>
                </li>
              ))}
            </ul>
            <div>
              <Button look="primary" isDisabled={ok === 0} onPress={migrate}>
                {t.migrateAll}
              </Button>
            </div>
          </div>
        )}
      </Loaded>
    </div>
  );
}
