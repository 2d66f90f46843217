import { describe, expect, it } from 'vitest';
import { workflowConfig } from '#config/index.ts';
import type { JsonObject } from '#json/index.ts';
import {
  requireEngine,
  workflowDirectory,
  workflowInactive,
} from '../../../src/workflow/workflow-settings.ts';

function read(content: JsonObject) {
  const parsed = workflowConfig.schema.safeParse(content);
  if (!parsed.success) throw new Error(JSON.stringify(parsed.error.issues));
  return parsed.data;
}

describe('workflow.json', () => {
  it('has everything that it does not say from its one declaration', () => {
    const { forms, ...settings } = requireEngine(read({}));
    expect(settings).toMatchObject({
      history: 'audit',
      maxOpenInstances: 500,
      maxCalledInstances: 10_000,
      scripts: { strict: false },
      mail: { host: 'localhost', port: 25, starttls: false, from: 'svc@localhost' },
    });
    expect([forms.validates('any'), forms.acceptAny.size]).toEqual([false, 0]);
    expect(workflowDirectory(read({}), '/project')).toBe('/project/workflow');
  });

  it('has forms checked of all processes, or of those that it names', () => {
    const { forms } = read({ forms: { validate: ['one'] } });
    expect([forms.validates('one'), forms.validates('two')]).toEqual([true, false]);
    expect(read({ forms: { validate: 'true' } }).forms.validates('two')).toBe(true);
  });

  it.each([
    [{ location: 'local' }, 500, 'WORKFLOW_UNBOUND', false],
    [{ location: 'remote' }, 503, 'WORKFLOW_INACTIVE', true],
    [{ history: 'audti' }, 503, 'WORKFLOW_INACTIVE', true],
    [{ useDataSource: 'other' }, 500, 'WORKFLOW_NO_DATA_SOURCE', false],
  ])('leaves a node without an engine, and the operator warned, with %j', (content, code, id, isInactive) => {
    const config = read(content);
    expect(() => requireEngine(config)).toThrow(
      expect.objectContaining({ code, detail: expect.objectContaining({ id }) }),
    );
    expect(workflowInactive(config) !== undefined).toBe(isInactive);
    expect(workflowDirectory(config, '/project')).toBeUndefined();
    const doubts = Object.entries(content).map(([key, value]) => workflowConfig.doubts?.[key]?.(value));
    expect(doubts).toEqual([expect.objectContaining({ id: expect.stringMatching(/^WORKFLOW_/) })]);
  });
});
