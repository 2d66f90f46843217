import type { WriteContext } from '#resource/index.ts';
import type { WorkflowPlatform } from '../workflow-platform.ts';
import { Agenda } from './agenda.ts';
import { followUp } from './follow-up.ts';
import type { StepContext } from './take-step.ts';

/** The first step that a request, a job or an event causes. */
export function beginStep(platform: WorkflowPlatform, context: WriteContext): StepContext {
  return { platform, context, depth: 0, agenda: new Agenda(), followUp };
}
