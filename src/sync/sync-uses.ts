import type { Binding, ScriptUse, ScriptUses } from '#script/index.ts';

const SOURCE: Binding = { type: 'object', says: 'the source object; null where it is gone', isManaged: true };
const OLD_SOURCE: Binding = { type: 'object', says: 'as it was before the change, or null', isManaged: true };
const TARGET: Binding = { type: 'object', says: 'the target object, or null', isManaged: true };
const KEPT_TARGET: Binding = {
  type: 'object',
  says: 'the target as it will be',
  isManaged: true,
  keeps: true,
};
const QUALIFIER: Binding = { type: 'string', says: 'the link qualifier' };
const MAPPING: Binding = { type: 'object', says: 'the mapping as it is configured' };
const SITUATION: Binding = { type: 'string', says: 'the situation, such as `ABSENT`' };
const ACTION: Binding = { type: 'string', says: 'what is done' };
const RECON_ID: Binding = { type: 'string', says: 'the id of the reconciliation' };
const SOURCE_ACTION: Binding = {
  type: 'value',
  says: 'true: it is seen from the source, as all that a change causes',
};

const OF_HOOK = {
  linkQualifier: QUALIFIER,
  mappingConfig: MAPPING,
  source: SOURCE,
  oldSource: OLD_SOURCE,
  sourceId: { type: 'string', says: 'the id of the source object' },
  target: TARGET,
  targetId: { type: 'value', says: 'the id of the target object, or null' },
  situation: SITUATION,
} as const satisfies ScriptUse['bindings'];

/** Scripts of a mapping, by where they stand. */
export const USE = {
  linkQualifiers: {
    title: 'linkQualifiers of a mapping; the value is the list of them',
    bindings: {
      mapping: { type: 'string', says: 'the name of the mapping' },
      object: SOURCE,
      oldValue: OLD_SOURCE,
      returnAll: { type: 'value', says: 'whether all that there may be are asked for, whatever the object' },
    },
  },
  validSource: {
    title: 'validSource of a mapping; the value, true or false, says whether the source is mapped at all',
    bindings: { source: SOURCE, linkQualifier: QUALIFIER },
  },
  validTarget: {
    title:
      'validTarget of a mapping; the value, true or false, says whether the mapping may touch the target',
    bindings: { target: TARGET, linkQualifier: QUALIFIER },
  },
  sourceCondition: {
    title: 'sourceCondition of a mapping; only true lets the source be mapped',
    bindings: { source: SOURCE, linkQualifier: QUALIFIER },
  },
  correlation: {
    title:
      'correlationQuery or correlationScript of a mapping; the value is a query of the target set, or a list of objects with `_id`',
    bindings: { source: SOURCE, linkQualifier: QUALIFIER },
  },
  transform: {
    title: 'transform of a mapped property; the value is what the target gets',
    bindings: {
      source: { type: 'value', says: 'what the source has at the pointer, or null' },
      linkQualifier: QUALIFIER,
    },
  },
  condition: {
    title: 'condition of a mapped property; only true has it mapped',
    bindings: {
      object: SOURCE,
      target: { type: 'object', says: 'the target as far as it is mapped' },
      oldSource: OLD_SOURCE,
      oldTarget: TARGET,
      linkQualifier: QUALIFIER,
    },
  },
  syncFailure: {
    title:
      'postRetryAction of the syncFailureHandler of a system; it says what becomes of a change that has failed too often',
    bindings: {
      syncFailure: {
        type: 'object',
        says: '`systemIdentifier`, `objectType` and `uid`, the `mapping`, and how many `attempts`',
      },
      failureCause: { type: 'object', says: 'the error: `code`, `message`, `id`, `hint`' },
      failureHandlers: {
        type: 'object',
        says: '`loggedIgnore.invoke()` and `deadLetterQueue.invoke()`; with neither it is only dropped',
      },
    },
  },
  policyCondition: {
    title: 'condition of a policy of a mapping; only true lets it count',
    bindings: { object: SOURCE, linkQualifier: QUALIFIER },
  },
  policyAction: {
    title: 'action of a policy of a mapping; the value is the name of what is done',
    bindings: {
      recon: { type: 'object', says: '`actionParam`: the parameters of performAction' },
      sourceAction: SOURCE_ACTION,
      linkQualifier: QUALIFIER,
      source: SOURCE,
      target: TARGET,
    },
  },
  postAction: {
    title: 'postAction of a policy of a mapping: when all is done',
    bindings: {
      linkQualifier: QUALIFIER,
      sourceAction: SOURCE_ACTION,
      action: ACTION,
      situation: SITUATION,
      reconId: { type: 'value', says: 'the id of the reconciliation, or null' },
      source: SOURCE,
      target: TARGET,
    },
  },
  defaultMapping: {
    title: 'defaultMapping of a mapping: after the properties, in place of the assignments',
    bindings: {
      source: SOURCE,
      oldSource: OLD_SOURCE,
      target: KEPT_TARGET,
      config: MAPPING,
      existingTarget: TARGET,
      linkQualifier: QUALIFIER,
    },
  },
  postMapping: {
    title: 'postMapping of a mapping: when the target is written',
    bindings: { ...OF_HOOK, action: ACTION, sourceObject: SOURCE, targetObject: TARGET },
  },
  assignment: {
    title: 'onAssignment or onUnassignment of an assignment, a file of the project',
    bindings: {
      sourceObject: SOURCE,
      targetObject: { ...KEPT_TARGET },
      existingTargetObject: TARGET,
      linkQualifier: QUALIFIER,
      attributes: { type: 'array', says: 'the attributes of the assignment, with their values' },
    },
  },
  onCreate: {
    title: 'onCreate of a mapping: before a target is made',
    bindings: { ...OF_HOOK, target: KEPT_TARGET },
  },
  onUpdate: {
    title: 'onUpdate of a mapping: before a target is changed',
    bindings: { ...OF_HOOK, target: KEPT_TARGET, oldTarget: TARGET },
  },
  onDelete: { title: 'onDelete of a mapping: before a target goes', bindings: OF_HOOK },
  onLink: {
    title: 'onLink of a mapping: before a link is made, with the target as it is, or will be',
    bindings: OF_HOOK,
  },
  onRecon: {
    title: 'onRecon of a mapping: before a reconciliation lists both sides; what it throws ends that',
    bindings: { mappingConfig: MAPPING, reconId: RECON_ID },
  },
  result: {
    title: 'result of a mapping: when a reconciliation has done all',
    bindings: {
      mappingConfig: MAPPING,
      reconId: RECON_ID,
      source: {
        type: 'object',
        says: 'how many sources are in which situation, such as `{"ABSENT": {"count": 3}}`',
      },
      target: { type: 'object', says: 'the same of targets that no source has led to' },
      global: { type: 'object', says: 'the reconciliation, as /recon shows it' },
    },
  },
  onUnlink: { title: 'onUnlink of a mapping: before a link goes', bindings: OF_HOOK },
} as const satisfies ScriptUses;

/** The uses as they are told of beside those of other rooms. */
export const SYNC_USES: ScriptUses = Object.fromEntries(
  Object.entries(USE).map(([name, use]) => [`mapping${name[0]?.toUpperCase()}${name.slice(1)}`, use]),
);
