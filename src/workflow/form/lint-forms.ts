import type { Finding, FormProperty, ProcessDefinition } from '../engine/index.ts';
import { isLiteral } from '../expression/index.ts';
import { checkDatePattern } from './date-pattern.ts';
import { noneStart } from './describe-form.ts';
import type { Resources } from './form-template.ts';

interface Form {
  readonly element: string;
  readonly key?: string;
  readonly properties: readonly FormProperty[];
}

/** What is odd about the forms of a process, for the report of its deployment. */
export function lintForms(definition: ProcessDefinition, resources: Resources): Finding[] {
  return formsOf(definition).flatMap((form) => [
    ...lintKey(form, resources),
    ...form.properties.flatMap((property, index) => lintProperty(form, property, index)),
  ]);
}

function formsOf(definition: ProcessDefinition): Form[] {
  const forms: Form[] = [];
  const start = noneStart(definition);
  if (start !== undefined) {
    const { id: element, formKey: key, formProperties: properties } = start;
    forms.push({ element, properties, ...(key === undefined ? {} : { key }) });
  }
  for (const node of definition.nodes.values()) {
    if (node.kind !== 'userTask') continue;
    const key = node.formKey !== undefined && isLiteral(node.formKey) ? { key: node.formKey.text } : {};
    forms.push({ element: node.id, properties: node.formProperties, ...key });
  }
  return forms;
}

/** A form key may be any text; only one that looks like a file is expected to be one. */
function lintKey({ element, key }: Form, resources: Resources): Finding[] {
  if (key === undefined || !/\.(xhtml|html?|form|json|hbs)$/i.test(key)) return [];
  if (resources.get(key) !== undefined) return [];
  return [
    {
      id: 'WORKFLOW_NO_TEMPLATE',
      element,
      message: `has the form '${key}', which is not in the deployment`,
      hint: 'Deploy a .bar file that holds the process and its forms',
    },
  ];
}

function lintProperty(form: Form, property: FormProperty, index: number): Finding[] {
  const { id, type, datePattern, values } = property;
  const finding = (message: string): Finding => ({ id: 'WORKFLOW_ODD_FORM', element: form.element, message });
  const findings: Finding[] = [];
  if (form.properties.findIndex((other) => other.id === id) < index) {
    findings.push(finding(`has two form properties '${id}'`));
  }
  const mistake = type === 'date' && datePattern !== undefined ? checkDatePattern(datePattern) : undefined;
  if (mistake !== undefined) {
    findings.push(finding(`has a form property '${id}' whose date pattern '${datePattern}' ${mistake}`));
  }
  if (type === 'enum' && values.length === 0) {
    findings.push(finding(`has a form property '${id}' without values to choose from`));
  }
  return findings;
}
