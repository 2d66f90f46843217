import type { ModdleElement } from 'bpmn-moddle';
import type { FormProperty } from '../definition.ts';
import type { Findings } from './findings.ts';
import { attribute, children, extensions } from './model-element.ts';

const TYPES = ['string', 'long', 'double', 'boolean', 'date', 'enum'];

/** The form properties of a start event or user task, in document order. */
export function readFormProperties(
  element: ModdleElement,
  owner: string,
  findings: Findings,
): FormProperty[] {
  return extensions(element, 'formProperty').map((property) => {
    const id = attribute(property, 'id') ?? '';
    const type = attribute(property, 'type');
    if (type !== undefined && !TYPES.includes(type)) {
      findings.refuse(
        'BAD_FORM',
        owner,
        `has a form property '${id}' of the unknown type '${type}'`,
        `Use one of ${TYPES.join(', ')}`,
      );
    }
    const name = attribute(property, 'name');
    const variable = attribute(property, 'variable');
    const expression = findings.optionalExpression(owner, attribute(property, 'expression'));
    const fallback = findings.optionalExpression(owner, attribute(property, 'default'));
    const datePattern = attribute(property, 'datePattern');
    return {
      id,
      ...(name === undefined ? {} : { name }),
      ...(type === undefined ? {} : { type }),
      ...(variable === undefined ? {} : { variable }),
      ...(expression === undefined ? {} : { expression }),
      ...(fallback === undefined ? {} : { default: fallback }),
      ...(datePattern === undefined ? {} : { datePattern }),
      isReadable: attribute(property, 'readable') !== 'false',
      isWritable: attribute(property, 'writable') !== 'false',
      isRequired: attribute(property, 'required') === 'true',
      values: children(property, 'value').map((value) => {
        const valueId = attribute(value, 'id') ?? '';
        return { id: valueId, name: attribute(value, 'name') ?? valueId };
      }),
    };
  });
}
