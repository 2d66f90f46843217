/**
 * Forms of start events and user tasks, as functions without storage.
 *
 * Words: a *form property* is a field of a form, declared in the process file; a *form key* names a template
 * among the resources of the deployment; to *submit* a form is to turn what was filled in into variables.
 */
export {
  describeStartForm,
  describeTaskForm,
  type ExpressionText,
  noneStart,
  type PropertyFacts,
  type StartType,
  type TaskForm,
  type TaskType,
} from './describe-form.ts';
export { formAsJsonSchema, formSchema } from './form-schema.ts';
export { findTemplate, type Resources } from './form-template.ts';
export { lintForms } from './lint-forms.ts';
export { readForm, variableScope } from './read-form.ts';
export {
  declaresFields,
  type Received,
  type Reception,
  receiveVariables,
  takesAnything,
} from './receive-variables.ts';
export { type FormViolation, submitForm } from './submit-form.ts';
