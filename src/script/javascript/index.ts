/**
 * Runs JavaScript that is not trusted, in QuickJS compiled to WebAssembly.
 *
 * Words: a *script* has a *value*, the one `eval` would give; *bindings* are its variables; the *host* answers its
 * calls (`svc.read` and the like) by operation and arguments; an *instance* runs one script at a time, and goes back
 * to a snapshot of its memory after it. A waiting script is suspended, so a thread runs many at once.
 *
 * Invariants: every run sees fresh globals; a script reaches nothing but the host; only plain JSON crosses the
 * border; a run ends with a result, a ScriptThrownError, a ScriptLimitError or a ScriptSyntaxError. Native loops such
 * as `Array(1e9).join()` ignore the deadline: whoever owns the thread watches `onEnter` and `onLeave` and ends it.
 */

export { elementLines } from './element-lines.ts';
export { chooseEngine, type EngineModule, loadEngineModule } from './engine-module.ts';
export {
  type ScriptLimit,
  ScriptLimitError,
  type ScriptPosition,
  ScriptSyntaxError,
  ScriptThrownError,
} from './failures.ts';
export { followsFrom } from './follows-from.ts';
export { hoistedNames } from './hoisted-names.ts';
export { exportedNames, type MemberCall, memberCalls } from './module-members.ts';
export { type NameUses, nameUses } from './name-uses.ts';
export { findSyntaxError, parseScript } from './parse-script.ts';
export type { EngineKind } from './quickjs-module.ts';
export { type RequiredModule, requiredModules } from './required-modules.ts';
export type { SandboxResult } from './run-outcome.ts';
export { SandboxPool, type SandboxPoolOptions, type SandboxPoolStats } from './sandbox-pool.ts';
export type { SandboxRun } from './script-run.ts';
export type { ScriptSource } from './script-source.ts';
export { MODULE_FUNCTIONS, SERVER_OBJECTS, type ServerFunction } from './server-functions.ts';
export { type AnyNode, childrenOf, isNamed, nodeAt, nodesAt, textGivenTo } from './syntax-tree.ts';
