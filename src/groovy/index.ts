/**
 * Groovy without a Java machine: a compiler to JavaScript, and the library that the JavaScript needs, which runs inside a
 * sandbox. A cottage of its own: it imports nothing of the house, and what it needs of its host is handed to it. Its
 * README.md says what goes in, what comes out, and what the library expects.
 *
 * Words: a *known class* is one of Java's or Groovy's that the library has; a *free name* is one that no declaration
 * of the script gives a meaning, so it may be a binding. Invariants: compiling runs nothing of the script; what the
 * library does not have is refused when it is compiled, or fails loudly; a script can reach nothing that JavaScript
 * in the same sandbox could not.
 */
export { type CompiledGroovy, compileGroovy } from './compile-groovy.ts';
export { ENTRY } from './generate/generate-script.ts';
export type { GroovyWarning } from './generate/missing-classes.ts';
export { coreLibrary, librariesOf } from './groovy-library.ts';
export { GroovySyntaxError } from './groovy-syntax-error.ts';
export { GroovyHost } from './host-operations.ts';
