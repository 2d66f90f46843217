import { BpmnError } from '../bpmn-error.ts';
import type { ExceptionMapping } from '../definition.ts';

/** Classes that everything else is a child of. */
const ROOTS = new Set(['Throwable', 'Exception', 'Runtime', 'Flowable', 'Activiti']);

/**
 * A thrown error as the business error that the process has declared for it, or as it is. Process files name Java
 * classes: `org.example.NotFoundException` means our `NotFoundError`; a mapping without a class is for all others.
 */
export function mapException(error: unknown, mappings: readonly ExceptionMapping[]): unknown {
  if (!(error instanceof Error) || error instanceof BpmnError) return error;
  const [own, ...above] = kindsOf(error);
  const matches = ({ className, includesChildren }: ExceptionMapping): boolean => {
    if (className === undefined) return false;
    const kind = kindOf(className);
    if (kind === own) return true;
    return includesChildren && (ROOTS.has(kind) || above.includes(kind));
  };
  const mapping = mappings.find(matches) ?? mappings.find(({ className }) => className === undefined);
  return mapping === undefined ? error : new BpmnError(mapping.errorCode, error.message);
}

/** The error's own kind first, then those of its base classes. */
function kindsOf(error: Error): string[] {
  const kinds = [kindOf(error.name)];
  for (
    let type: unknown = error.constructor;
    typeof type === 'function';
    type = Object.getPrototypeOf(type)
  ) {
    if (type.name !== '') kinds.push(kindOf(type.name));
  }
  return kinds;
}

/** `java.lang.RuntimeException` → `Runtime`, `NotFoundError` → `NotFound`; bare roots stay. */
function kindOf(name: string): string {
  return name.replace(/^.*[.$]/, '').replace(/(?<=.)(?:Exception|Error)$/, '');
}
