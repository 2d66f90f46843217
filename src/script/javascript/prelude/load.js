// load: evaluates a file of the script sources in the global scope, where the script finds what it declares, and where
// the file finds what the script declares.
(sandbox) => {
  const { host } = sandbox;
  const { defineProperty, getOwnPropertyDescriptor, getOwnPropertyDescriptors, hasOwn, keys } = Object;
  // biome-ignore lint/security/noGlobalEval: inside the sandbox, and called by this name it evaluates in the global scope
  const evaluate = globalThis.eval;
  let variables = {};

  /** `accessors` reads and assigns the variables that the script declares at its top level. */
  sandbox.shareVariables = (accessors) => {
    variables = accessors;
  };

  function shareVariables(names) {
    const descriptors = getOwnPropertyDescriptors(variables);
    for (const name of names) {
      const isFixed = getOwnPropertyDescriptor(globalThis, name)?.configurable === false;
      if (!isFixed) defineProperty(globalThis, name, { ...descriptors[name], enumerable: false });
    }
  }

  function setGlobal(name, value) {
    defineProperty(globalThis, name, { value, writable: true, enumerable: false, configurable: true });
  }

  globalThis.load = (path) => {
    if (typeof path !== 'string') throw sandbox.methodNotFound('load', [path]);
    const { text, functions, bindings, values } = host('load.resolve', path);
    for (const name of keys(values)) sandbox.bind(name, values[name]);
    const bound = sandbox.valuesOf(bindings);
    for (let index = 0; index < bindings.length; index++) setGlobal(bindings[index], bound[index]);
    shareVariables(keys(variables));
    evaluate(text);
    // A function declaration takes the place of the accessor instead of being assigned by it.
    const replaced = functions.filter((name) => hasOwn(variables, name));
    for (const name of replaced) variables[name] = globalThis[name];
    shareVariables(replaced);
  };
};
