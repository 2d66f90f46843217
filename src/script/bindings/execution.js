// `execution` and `task` of processes: facts, and functions that ask the host. Functions are enumerable, by which
// Groovy knows an object that is more than data.
({ host, reviveBinding }) => {
  const { assign, defineProperty, keys } = Object;

  const isDate = (value) => value !== null && typeof value === 'object' && typeof value.$date === 'number';

  // Dates of processes cross the border as `{ $date: ms }`.
  const plain = (value) =>
    value instanceof Date ? { $date: value.getTime() } : value === undefined ? null : value;
  const revive = (value) => (isDate(value) && keys(value).length === 1 ? new Date(value.$date) : value);
  const reviveAll = (values) => {
    for (const name of keys(values)) values[name] = revive(values[name]);
    return values;
  };

  function addGetters(view) {
    for (const name of keys(view)) {
      const value = view[name];
      view[`get${name[0].toUpperCase()}${name.slice(1)}`] = () => value;
    }
    return view;
  }

  function addVariables(view, of) {
    const ask =
      (operation) =>
      (...args) =>
        revive(host(`${of}.${operation}`, ...args.map(plain)));
    return assign(view, {
      getVariable: ask('getVariable'),
      getVariableLocal: ask('getVariableLocal'),
      getVariables: () => reviveAll(host(`${of}.getVariables`)),
      getVariablesLocal: () => reviveAll(host(`${of}.getVariablesLocal`)),
      hasVariable: ask('hasVariable'),
      hasVariableLocal: ask('hasVariableLocal'),
      getVariableNames: () => keys(host(`${of}.getVariables`)),
      getVariableNamesLocal: () => keys(host(`${of}.getVariablesLocal`)),
      hasVariables: () => keys(host(`${of}.getVariables`)).length > 0,
      hasVariablesLocal: () => keys(host(`${of}.getVariablesLocal`)).length > 0,
      removeVariable: ask('removeVariable'),
      removeVariableLocal: ask('removeVariableLocal'),
      removeVariables: (names) => {
        for (const name of names) host(`${of}.removeVariable`, name);
      },
      removeVariablesLocal: (names) => {
        for (const name of names) host(`${of}.removeVariableLocal`, name);
      },
      setTransientVariable: ask('setTransientVariable'),
      setTransientVariables: (values) => {
        for (const name of keys(values)) host(`${of}.setTransientVariable`, name, plain(values[name]));
      },
      setVariable: ask('setVariable'),
      setVariableLocal: ask('setVariableLocal'),
      setVariables: (values) => {
        for (const name of keys(values)) host(`${of}.setVariable`, name, plain(values[name]));
      },
      setVariablesLocal: (values) => {
        for (const name of keys(values)) host(`${of}.setVariableLocal`, name, plain(values[name]));
      },
    });
  }

  function isView(view, mark) {
    return view !== null && typeof view === 'object' && typeof view[mark] === 'string';
  }

  function executionOf(view) {
    const { currentActivityId: id, currentActivityName: name } = view;
    view.currentFlowElement = id === null ? null : addGetters({ id, name });
    addVariables(addGetters(view), 'execution');
    const setBusinessKey = (key) => host('execution.setBusinessKey', plain(key));
    const setBusinessStatus = (status) => host('execution.setBusinessStatus', plain(status));
    return assign(view, {
      isActive: () => true,
      isEnded: () => false,
      setBusinessKey,
      setBusinessStatus,
      setProcessBusinessKey: setBusinessKey,
      updateProcessBusinessKey: setBusinessKey,
      updateBusinessStatus: setBusinessStatus,
    });
  }

  reviveBinding('*', revive);

  reviveBinding('execution', (view) => (isView(view, 'processInstanceId') ? executionOf(view) : view));

  reviveBinding('task', (view) => {
    if (!isView(view, 'taskDefinitionKey')) return view;
    const { execution, ...facts } = reviveAll(view);
    const task = addVariables(addGetters(facts), 'task');
    const set = (name) => (value) => {
      task[name] = revive(host('task.set', name, plain(value)));
    };
    const add = (kind) => (names) => host('task.add', kind, names);
    const remove = (kind) => (name) => host('task.remove', kind, name);
    for (const name of [
      'name',
      'description',
      'assignee',
      'owner',
      'category',
      'formKey',
      'priority',
      'dueDate',
    ]) {
      task[`set${name[0].toUpperCase()}${name.slice(1)}`] = set(name);
      task[`get${name[0].toUpperCase()}${name.slice(1)}`] = () => task[name];
    }
    task.execution = executionOf(execution);
    task.getExecution = () => task.execution;
    const give = (operation, state) => (user) => {
      assign(task, host(`task.${operation}`, plain(user)), { delegationState: state });
    };
    task.delegate = give('delegate', 'PENDING');
    task.resolve = give('resolve', 'RESOLVED');
    task.getDelegationState = () => task.delegationState;
    task.addCandidateUser = add('candidateUsers');
    task.addCandidateUsers = add('candidateUsers');
    task.addCandidateGroup = add('candidateGroups');
    task.addCandidateGroups = add('candidateGroups');
    task.getCandidates = () => host('task.candidates').map(addGetters);
    task.deleteCandidateUser = remove('candidateUsers');
    task.deleteCandidateGroup = remove('candidateGroups');
    task.isSuspended = () => false;
    // The links that a task has; those of other types would be kept nowhere.
    const link = (kind, change) => (name, type) => {
      if (type === 'candidate') return change(kind)(name);
      throw new Error(`A task has no identity links of the type '${type}', only 'candidate'`);
    };
    task.addUserIdentityLink = link('candidateUsers', add);
    task.addGroupIdentityLink = link('candidateGroups', add);
    task.deleteUserIdentityLink = link('candidateUsers', remove);
    task.deleteGroupIdentityLink = link('candidateGroups', remove);
    return task;
  });

  // For a script whose assignments are stored: its variables become globals, and what it makes of them goes back.
  reviveBinding('$variables', (variables) => {
    if (variables === null || typeof variables !== 'object') return variables;
    const before = new Set(keys(globalThis));
    assign(globalThis, reviveAll(variables));
    let own = {};
    // The variables that the script declares by `var` hide the globals, and begin with their values.
    const locals = (places) => {
      own = places;
      for (const name of keys(own)) if (name in variables) own[name] = variables[name];
    };
    defineProperty(variables, 'locals', { value: locals });
    defineProperty(variables, 'toJSON', {
      value: () => {
        const after = { __proto__: null };
        for (const name of keys(globalThis)) {
          const value = globalThis[name];
          if (!before.has(name) && typeof value !== 'function') after[name] = plain(value);
        }
        for (const name of keys(own)) {
          const value = own[name];
          if (value !== undefined && typeof value !== 'function') after[name] = plain(value);
        }
        return after;
      },
    });
    return variables;
  });

  class BpmnError extends Error {
    constructor(errorCode, message = '') {
      super(String(message));
      this.code = 500;
      this.errorCode = String(errorCode);
      this.detail = { bpmnError: this.errorCode };
    }
    getErrorCode() {
      return this.errorCode;
    }
  }
  defineProperty(globalThis, 'BpmnError', { value: BpmnError, writable: true, configurable: true });
};
