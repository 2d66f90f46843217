import { pipeline } from './pipeline.ts';
import { applyOperations } from './steps/apply-operations.ts';
import { assignId } from './steps/assign-id.ts';
import { checkRevision } from './steps/check-revision.ts';
import { loadStored } from './steps/load-stored.ts';
import { runHook } from './steps/run-hook.ts';
import { stopIfUnchanged } from './steps/stop-if-unchanged.ts';
import { store } from './steps/store.ts';
import { takeContent } from './steps/take-content.ts';

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
  step(assignId,                    C                  );
  step(loadStored,                       R,  U,  P,  D );
  step(checkRevision,                        U,  P,  D );
  step(takeContent,                 C,       U         );
  step(applyOperations,                          P     );
  step(stopIfUnchanged,                      U,  P     );
  step(runHook('onCreate'),         C                  );
  step(runHook('onUpdate'),                  U,  P     );
  step(runHook('onDelete'),                          D );
  step(runHook('onValidate'),       C,       U,  P     );
  step(runHook('onStore'),          C,       U,  P     );
  step(store,                       C,       U,  P,  D );
  step(runHook('postCreate'),       C                  );
  step(runHook('postUpdate'),                U,  P     );
  step(runHook('postDelete'),                        D );
  step(runHook('onRetrieve'),            R             );
  step(runHook('onRead'),                R             );
});
