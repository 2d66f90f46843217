// `httpRequest`: the message that a login came with. Functions are enumerable, by which Groovy knows an object that is
// more than data.
({ reviveBinding }) => {
  const { assign, hasOwn } = Object;

  /** Names of headers are in lower case, and are found in any. */
  function valuesOf(values, nameOf) {
    const find = (name) => (hasOwn(values, nameOf(name)) ? values[nameOf(name)] : null);
    return assign({ __proto__: null }, values, {
      get: find,
      getFirst: find,
      containsKey: (name) => find(name) !== null,
    });
  }

  reviveBinding('httpRequest', (view) => {
    if (view === null || typeof view !== 'object' || typeof view.path !== 'string') return view;
    const { method, path: uri } = view;
    const headers = valuesOf(view.headers, (name) => String(name).toLowerCase());
    const form = valuesOf(view.parameters, String);
    return {
      method,
      uri,
      headers,
      form,
      getMethod: () => method,
      getUri: () => uri,
      getHeaders: () => headers,
      getForm: () => form,
    };
  });
};
