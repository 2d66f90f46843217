import { findClass } from './java-class.ts';
import { instanceMethods, staticMethods, staticValue, staticValueNames } from './method-table.ts';

/** What the compiler can tell a script before it runs: a static member that is not there. */
export interface StaticProblem {
  readonly text: string;
  readonly hint: string;
}

const LISTED = 'The documentation lists what exists.';
const HINTS: Readonly<Record<string, string>> = {
  'System.exit': 'A script ends with return or throw.',
  'Class.forName': 'Classes cannot be loaded by name; write the class itself.',
  'Thread.new': 'Scripts have one thread; use a schedule for work that goes on by itself.',
  'Thread.start': 'Scripts have one thread; use a schedule for work that goes on by itself.',
  'Runtime.getRuntime': 'Scripts cannot start programs.',
};

/** Nothing is wrong with members of all classes, such as `name`; constructors are called `new`. */
export function staticMemberProblem(
  className: string,
  member: string,
  isCall: boolean,
): StaticProblem | undefined {
  const isKnown = isCall
    ? staticMethods(className)?.[member] !== undefined || isClassMethod(member)
    : staticValue(className, member) !== undefined || isClassProperty(className, member);
  if (isKnown && !(member === 'new' && staticMethods(className)?.['new'] === undefined)) return undefined;
  const simple = className.slice(className.lastIndexOf('.') + 1);
  const hint = HINTS[`${simple}.${member}`] ?? LISTED;
  if (member === 'new') {
    return { text: `An object of the class ${className} cannot be created here`, hint };
  }
  const what = isCall ? `static method ${member}()` : `static field ${member}`;
  return { text: `The class ${className} has no ${what} here`, hint };
}

function isClassMethod(member: string): boolean {
  return instanceMethods('java.lang.Class')?.[member] !== undefined;
}

function isClassProperty(className: string, member: string): boolean {
  if (member === 'class' || findClass(className)?.form === 'enum') return member === 'class';
  const capital = member.charAt(0).toUpperCase() + member.slice(1);
  return (
    isClassMethod(`get${capital}`) ||
    isClassMethod(`is${capital}`) ||
    staticMethods(className)?.[`get${capital}`] !== undefined
  );
}

export function staticMemberNames(className: string, isCall: boolean): ReadonlySet<string> {
  const methods = staticMethods(className);
  if (!isCall) return new Set(staticValueNames(className));
  return new Set(methods === undefined ? [] : Object.keys(methods).filter((name) => name !== 'new'));
}
