import { SYNC_ACTIONS, type SyncAction } from '#config/index.ts';
import { didYouMean, InternalServerError } from '#errors/index.ts';
import type { JsonObject, JsonValue } from '#json/index.ts';
import type { ScriptReference } from '#script/index.ts';
import { NO_SOURCE, type Sight } from './look.ts';
import type { SyncPolicy } from './mapping.ts';
import { holds, runScript } from './mapping-scripts.ts';
import { DEFAULT_ACTION } from './situation.ts';
import type { Scope } from './stage.ts';
import { kindOfValue } from './value-key.ts';

/** What is done, and who says so. */
export interface Choice {
  readonly action: SyncAction;
  /** `policies/3`; null where no policy has been met. */
  readonly rule: string | null;
  readonly postAction: ScriptReference | undefined;
}

/**
 * The action of the first policy of the situation whose condition holds, else that of the situation.
 *
 * @param parameters of performAction, for scripts
 */
export async function chooseAction(scope: Scope, sight: Sight, parameters: JsonObject): Promise<Choice> {
  const { situation, source } = sight;
  for (const policy of scope.mapping.policies.get(situation) ?? []) {
    const { place, condition, postAction } = policy;
    const seen = { object: source, linkQualifier: scope.qualifier };
    if (!(await holds(scope, condition, 'policyCondition', seen, `${place} condition`))) continue;
    const action = await actionOf(scope, policy, sight, parameters);
    return { action, rule: place, postAction };
  }
  return { action: DEFAULT_ACTION[situation], rule: null, postAction: undefined };
}

async function actionOf(
  scope: Scope,
  { action, place }: SyncPolicy,
  { sourceId, source, target }: Sight,
  parameters: JsonObject,
): Promise<SyncAction> {
  if (typeof action === 'string') return action;
  const { value } = await runScript(scope, {
    use: 'policyAction',
    reference: action,
    what: `${place} action`,
    bindings: {
      recon: { actionParam: parameters },
      sourceAction: sourceId !== NO_SOURCE,
      linkQualifier: scope.qualifier,
      source,
      target,
    },
  });
  return readAction(value, `'${scope.mapping.name} ${place} action' answers`);
}

/** @throws InternalServerError `SYNC_BAD_ACTION` */
function readAction(value: JsonValue, says: string): SyncAction {
  if (isAction(value)) return value;
  const hint = typeof value === 'string' ? didYouMean(value, SYNC_ACTIONS) : undefined;
  throw new InternalServerError(`${says} ${kindOfValue(value)}, which is no action`, {
    id: 'SYNC_BAD_ACTION',
    hint: hint ?? `There are ${SYNC_ACTIONS.join(', ')}`,
  });
}

export function isAction(value: JsonValue): value is SyncAction {
  return SYNC_ACTIONS.some((action) => action === value);
}
