/**
 * A business error: thrown by a delegate, script or error end event, caught by a boundary event or event
 * sub-process, and by nothing a failure of the whole step.
 */
export class BpmnError extends Error {
  override readonly name = 'BpmnError';
  readonly code: string;

  constructor(code: string, message = '') {
    super(message);
    this.code = code;
  }
}
