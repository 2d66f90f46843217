/**
 * The expressions of process files: JUEL, parsed once and evaluated against a scope.
 *
 * Words: an *expression* is an attribute value with any number of `${…}` in it; a *scope* resolves names; a
 * *host object* is a thing of the engine that shows a list of members. Data is read through its own members
 * only and methods come from fixed lists, so no expression reaches a prototype or a function of JavaScript.
 */
export { type Assignment, assign } from './assign.ts';
export { CoercionError, isEmpty, toBoolean, toNumber, toText } from './coercion.ts';
export { dateOf, dateValue, isoOfDate } from './date-value.ts';
export { type ExpressionScope, evaluate } from './evaluate.ts';
export { ExpressionError } from './expression-error.ts';
export { type Expression, isJuel, isLiteral } from './node.ts';
export { parseExpression } from './parse-expression.ts';
export { onlyNode, splitTemplate } from './split-template.ts';
export { chain, HostObject, type MaybePromise, toJson, type Value } from './value.ts';
