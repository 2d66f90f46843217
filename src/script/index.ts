/**
 * Scripts: references to them, where they are found, how they run, and the threads they run in.
 *
 * Words: a *script reference* names a script in configuration; a *source* is a directory of scripts; *bindings*
 * are a script's variables; a *script thread* executes whole requests that may run a script. Invariants: user
 * code never runs on the main thread; every run starts with fresh globals; a run ends within its limits.
 */

export { bindingResource } from './binding-resource.ts';
export { checkScripts } from './check-scripts.ts';
export { distantThreads, serveScriptWork } from './distant-threads.ts';
export { FIELD_SCRIPT } from './field-scripts.ts';
export { followsFromBindings } from './follows-from-bindings.ts';
export type { HostOperations } from './host-operations.ts';
export {
  type AnyNode,
  childrenOf,
  elementLines,
  findSyntaxError,
  hoistedNames,
  isNamed,
  nodeAt,
  nodesAt,
  parseScript,
  textGivenTo,
} from './javascript/index.ts';
export { modulePath } from './module-path.ts';
export { requestView } from './request-view.ts';
export { resourceOperations } from './resource-operations.ts';
export { isBuiltInFilter, meetFilters, routerFilters } from './router-filters.ts';
export { ScriptError, ScriptInactiveError } from './script-error.ts';
export { scriptFileResource } from './script-file-resource.ts';
export { ScriptInspector } from './script-inspector.ts';
export { scriptsInactive } from './script-library.ts';
export {
  elementsAt,
  inspectPlaces,
  membersAt,
  type Path,
  placeAt,
  type ScriptPlace,
  valueAt,
} from './script-place.ts';
export { parseScriptReference, type ScriptReference } from './script-reference.ts';
export { scriptResource } from './script-resource.ts';
export { ScriptRunner } from './script-runner.ts';
export { ScriptSources } from './script-sources.ts';
export type { OpenThread } from './script-thread.ts';
export { ScriptThreads } from './script-threads.ts';
export { scriptTransform } from './script-transform.ts';
export {
  type Binding,
  type BindingsOf,
  REQUEST,
  RESOURCE_NAME,
  type ScriptUse,
  type ScriptUses,
} from './script-use.ts';
export { SCRIPT_USES } from './script-uses.ts';
export { type ScriptStore, ScriptWriter } from './script-writer.ts';
export { noScripts, type Scripts } from './scripts.ts';
export { type ScriptWork, workKind } from './thread-protocol.ts';
export {
  askWhoseWork,
  handling,
  observeFromThread,
  serveThread,
  type ThreadPlace,
  takePlace,
} from './thread-server.ts';
