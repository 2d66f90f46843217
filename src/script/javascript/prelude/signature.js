// Arguments of the functions that scripts call, checked as the field does: a wrong call is "method not found".
(sandbox) => {
  const ACCEPTED = {
    string: (value) => typeof value === 'string',
    object: (value) => isObject(value),
    array: (value) => Array.isArray(value),
    value: () => true,
  };

  function isObject(value) {
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  }

  function typeName(value) {
    if (value === null || value === undefined) return String(value);
    if (Array.isArray(value)) return 'Array';
    const type = typeof value;
    return type[0].toUpperCase() + type.slice(1);
  }

  sandbox.isObject = isObject;

  sandbox.methodNotFound = (name, args) =>
    new Error(`method not found ${name}(${args.map(typeName).join(',')})`);

  /**
   * `pattern` names the type of each parameter: `?` after it admits null, and a parameter beyond the first `least`
   * may be left out. The answer has one entry per parameter, absent ones null.
   */
  sandbox.matchArguments = (name, args, least, pattern) => {
    const fits =
      args.length >= least &&
      args.length <= pattern.length &&
      args.every((value, index) => {
        const type = pattern[index];
        const nullable = type.endsWith('?');
        if (value === null || value === undefined) return nullable || type === 'value';
        return ACCEPTED[nullable ? type.slice(0, -1) : type](value);
      });
    if (!fits) throw sandbox.methodNotFound(name, args);
    return pattern.map((_, index) => (args[index] === undefined ? null : args[index]));
  };
};
