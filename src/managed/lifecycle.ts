import { pipeline } from './pipeline.ts';
import { applyOperations } from './steps/apply-operations.ts';
import { assignId } from './steps/assign-id.ts';
import { attachRelationships } from './steps/attach-relationships.ts';
import { checkReferences } from './steps/check-references.ts';
import { checkRevision } from './steps/check-revision.ts';
import { chooseRoad } from './steps/choose-road.ts';
import { computeVirtualProperties, recalculate } from './steps/compute-virtual-properties.ts';
import { decryptStored } from './steps/decrypt-stored.ts';
import { findDependents, lockOwnDerivations } from './steps/find-dependents.ts';
import { giveAnswer } from './steps/give-answer.ts';
import { checkGoverning, governEdges } from './steps/govern-edges.ts';
import { grantConditionally } from './steps/grant-conditionally.ts';
import { loadStored } from './steps/load-stored.ts';
import { planEdit } from './steps/plan-edit.ts';
import { protectProperties } from './steps/protect-properties.ts';
import { refreshDependents } from './steps/refresh-dependents.ts';
import { refuseUndeclared } from './steps/refuse-undeclared.ts';
import { removeRelationships } from './steps/remove-relationships.ts';
import { runHook } from './steps/run-hook.ts';
import { runPropertyHooks } from './steps/run-property-hooks.ts';
import { scheduleConstraints } from './steps/schedule-constraints.ts';
import { stopIfUnchanged } from './steps/stop-if-unchanged.ts';
import { store } from './steps/store.ts';
import { synchronize } from './steps/synchronize.ts';
import { synchronizeOthers } from './steps/synchronize-others.ts';
import { takeContent } from './steps/take-content.ts';
import { tellDoubts } from './steps/tell-doubts.ts';
import { validateProperties } from './steps/validate-properties.ts';
import { takeRelationships, writeRelationships } from './steps/write-relationships.ts';

const C = 'create';
const R = 'read';
const U = 'update';
const P = 'patch';
const D = 'delete';

/**
 * The life of a managed object: read across to see which requests run a rule, read down to see a request's
 * order. All of it is one unit of work.
 */
// biome-ignore format: the columns are the documentation
export const lifecycle = pipeline((step) => {
  step(chooseRoad,                       C,       U,  P     );
  step(lockOwnDerivations,               C,       U,  P     );
  step(assignId,                         C                  );
  step(loadStored,                            R,  U,  P,  D );
  step(checkRevision,                             U,  P,  D );
  step(decryptStored,                             U,  P,  D );
  step(attachRelationships,                       U,  P,  D );
  step(takeContent,                      C,       U         );
  step(applyOperations,                               P     );
  step(planEdit,                                  U         );
  step(checkReferences,                           U,  P     );
  step(recalculate,                               U         );
  step(stopIfUnchanged,                           U,  P     );
  step(runHook('onCreate'),              C                  );
  step(runHook('onUpdate'),                       U,  P     );
  step(runHook('onDelete'),                               D );
  step(giveAnswer,                                        D );
  step(takeRelationships,                C,       U,  P     );
  step(writeRelationships,               C,       U,  P     );
  step(grantConditionally,               C,       U,  P     );
  step(computeVirtualProperties,         C,       U,  P     );
  step(refuseUndeclared,                 C,       U,  P     );
  step(validateProperties,               C,       U,  P     );
  step(checkGoverning,                   C,       U,  P     );
  step(runPropertyHooks('onValidate'),   C,       U,  P     );
  step(runHook('onValidate'),            C,       U,  P     );
  step(runPropertyHooks('onStore'),      C,       U,  P     );
  step(protectProperties,                C,       U,  P     );
  step(runHook('onStore'),               C,       U,  P     );
  step(store,                            C,       U,  P,  D );
  step(governEdges,                      C,       U,  P     );
  step(scheduleConstraints,              C,       U,  P,  D );
  step(findDependents,                   C,       U,  P,  D );
  step(removeRelationships,                               D );
  step(refreshDependents,                C,       U,  P,  D );
  step(runHook('postCreate'),            C                  );
  step(runHook('postUpdate'),                     U,  P     );
  step(runHook('postDelete'),                             D );
  step(synchronizeOthers,                C,       U,  P,  D );
  step(synchronize,                      C,       U,  P,  D );
  step(giveAnswer,                       C,   R,  U,  P     );
  step(tellDoubts,                       C,       U,  P     );
});
