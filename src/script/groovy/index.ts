/**
 * Groovy for the sandbox: a compiler to JavaScript on this side, and the library that the JavaScript needs, which
 * runs inside QuickJS.
 *
 * Words: a *known class* is one of Java's or Groovy's that the library has; a *free name* is one that no declaration
 * of the script gives a meaning, so it may be a binding. Invariants: compiling runs nothing of the script; what the
 * library does not have is refused when it is compiled, or fails loudly; a script can reach nothing that JavaScript
 * in the same sandbox could not.
 */
export { type CompiledGroovy, compileGroovy } from './compile-groovy.ts';
export type { GroovyWarning } from './generate/missing-classes.ts';
export { GroovyPool } from './groovy-pool.ts';
export { GroovySyntaxError } from './groovy-syntax-error.ts';
export { answerGroovy } from './host-operations.ts';
