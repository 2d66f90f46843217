import { pipeline } from './pipeline.ts';
import { applyOperations } from './steps/apply-operations.ts';
import { assignId } from './steps/assign-id.ts';
import { attachRelationships } from './steps/attach-relationships.ts';
import { checkGrantedRoles } from './steps/check-granted-roles.ts';
import { checkReferences } from './steps/check-references.ts';
import { checkRevision } from './steps/check-revision.ts';
import { chooseLocking } from './steps/choose-locking.ts';
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
export const lifecycle = pipeline(({ asked, loaded, planned, stored }) => {
  asked(chooseLocking,                      C,       U,  P     );
  asked(lockOwnDerivations,                 C,       U,  P     );
  asked(assignId,                           C                  );
  asked(loadStored,                              R,  U,  P,  D );
  loaded(checkRevision,                              U,  P,  D );
  loaded(decryptStored,                              U,  P,  D );
  planned(attachRelationships,                       U,  P,  D );
  planned(takeContent,                      C,       U         );
  planned(applyOperations,                               P     );
  planned(planEdit,                                  U         );
  planned(checkReferences,                           U,  P     );
  planned(recalculate,                               U         );
  planned(checkGrantedRoles,                C,       U,  P     );
  planned(stopIfUnchanged,                           U,  P     );
  planned(runHook('onCreate'),              C                  );
  planned(runHook('onUpdate'),                       U,  P     );
  planned(runHook('onDelete'),                               D );
  planned(giveAnswer,                                        D );
  planned(takeRelationships,                C,       U,  P     );
  planned(writeRelationships,               C,       U,  P     );
  planned(grantConditionally,               C,       U,  P     );
  planned(computeVirtualProperties,         C,       U,  P     );
  planned(refuseUndeclared,                 C,       U,  P     );
  planned(validateProperties,               C,       U,  P     );
  planned(checkGoverning,                   C,       U,  P     );
  planned(runPropertyHooks('onValidate'),   C,       U,  P     );
  planned(runHook('onValidate'),            C,       U,  P     );
  planned(runPropertyHooks('onStore'),      C,       U,  P     );
  planned(protectProperties,                C,       U,  P     );
  planned(runHook('onStore'),               C,       U,  P     );
  planned(store,                            C,       U,  P,  D );
  stored(governEdges,                       C,       U,  P     );
  stored(scheduleConstraints,               C,       U,  P,  D );
  stored(findDependents,                    C,       U,  P,  D );
  stored(removeRelationships,                                D );
  stored(refreshDependents,                 C,       U,  P,  D );
  stored(runHook('postCreate'),             C                  );
  stored(runHook('postUpdate'),                      U,  P     );
  stored(runHook('postDelete'),                              D );
  stored(synchronizeOthers,                 C,       U,  P,  D );
  stored(synchronize,                       C,       U,  P,  D );
  stored(giveAnswer,                        C,   R,  U,  P     );
  stored(tellDoubts,                        C,       U,  P     );
});
