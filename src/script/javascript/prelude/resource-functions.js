// svc.create, read, update, patch, delete, query, action.
(sandbox) => {
  const { ask, host, isObject, matchArguments, methodNotFound } = sandbox;
  const TAIL = ['object?', 'array?', 'object?'];
  const QUERY = ['string', 'object', 'array?', 'object?'];
  const QUERY_KINDS = ['_queryid', '_queryexpression', '_queryfilter'];
  const QUERY_NUMBERS = ['_pagesize', '_pagedresultsoffset'];
  const QUERY_OTHERS = ['_fields', '_sortkeys', '_pagedresultscookie', '_totalpagedresultspolicy'];
  const QUERY_PARAMETERS = [...QUERY_KINDS, ...QUERY_NUMBERS, ...QUERY_OTHERS];

  function withoutFunctions(args) {
    for (let index = 0; index < args.length; index++) {
      if (typeof args[index] === 'function') return args.filter((value) => typeof value !== 'function');
    }
    return args;
  }

  function badRequest(message) {
    return sandbox.toError({ code: 400, reason: 'Bad Request', message });
  }

  /** Additional parameters are text: numbers and booleans are written out, nulls dropped, the rest refused. */
  function toParameters(params, isReserved) {
    if (params === null) return null;
    const result = {};
    for (const [key, value] of Object.entries(params)) {
      if (value === null || value === undefined) continue;
      if (isReserved?.(key)) result[key] = value;
      else if (typeof value === 'object') {
        throw badRequest(`The parameter ${key} must be a string, a number or a boolean`);
      } else result[key] = String(value);
    }
    return result;
  }

  function toQueryParameters(params) {
    const result = toParameters(params, (key) => QUERY_PARAMETERS.includes(key.toLowerCase()));
    const keys = Object.keys(result);
    const kinds = keys.filter((key) => QUERY_KINDS.includes(key.toLowerCase()));
    if (kinds.length !== 1) {
      throw badRequest('A query needs exactly one of _queryId, _queryExpression and _queryFilter');
    }
    for (const key of keys) {
      if (QUERY_NUMBERS.includes(key.toLowerCase()) && typeof result[key] !== 'number') {
        throw badRequest(`The parameter ${key} must be a number`);
      }
    }
    return result;
  }

  function define(name, least, ...pattern) {
    const operation = `svc.${name}`;
    const params = pattern.length;
    const full = [...pattern, ...TAIL];
    return (...given) => {
      const args = matchArguments(name, withoutFunctions(given), least, full);
      args[params] = toParameters(args[params]);
      return ask(operation, args);
    };
  }

  const readOrThrow = define('read', 1, 'string');

  function read(...args) {
    try {
      return readOrThrow(...args);
    } catch (error) {
      if (error.javaException !== undefined && error.code === 404) return null;
      throw error;
    }
  }

  function query(...given) {
    const last = given[given.length - 1];
    const callback = typeof last === 'function' ? last : undefined;
    const [container, params, fields, context] = matchArguments('query', withoutFunctions(given), 2, QUERY);
    const answer = host('svc.query', container, toQueryParameters(params), fields, context);
    if (callback === undefined) return answer;
    const { result, ...rest } = answer;
    for (const entry of result ?? []) {
      try {
        callback(entry);
      } catch {
        // Scripts of the field rely on a query going on past a failing callback.
      }
    }
    return rest;
  }

  /** `actionId` may be left out; everything after it then moves up by one. */
  function action(...given) {
    const args = withoutFunctions(given);
    if (args.length < 3) throw methodNotFound('action', args);
    const isShifted = isObject(args[1]);
    const full = isShifted ? [args[0], null, ...args.slice(1)] : args;
    let [name, actionId, content, params, fields, context] = matchArguments('action', full, 3, [
      'string',
      'string?',
      'object?',
      ...TAIL,
    ]);
    // The oldest form, (name, params, content).
    if (isShifted && !params?._action && typeof content._action === 'string') {
      [content, params] = [params, content];
    }
    const id = actionId === null ? params?._action : actionId;
    if (typeof id !== 'string') throw badRequest(`An action on ${name} needs an action id`);
    const { _action, ...others } = params === null ? {} : params;
    return host(
      'svc.action',
      name,
      id,
      content,
      toParameters(params === null ? null : others),
      fields,
      context,
    );
  }

  function encrypt(...args) {
    return host('svc.encrypt', ...matchArguments('encrypt', args, 3, ['value', 'string?', 'string']));
  }

  function decrypt(...args) {
    return host('svc.decrypt', ...matchArguments('decrypt', args, 1, ['object']));
  }

  function hash(...args) {
    return host('svc.hash', ...matchArguments('hash', args, 2, ['value', 'string?']));
  }

  function isEncrypted(...args) {
    const [value] = matchArguments('isEncrypted', args, 0, ['value']);
    return isObject(value) && host('svc.isEncrypted', value);
  }

  function isHashed(...args) {
    const [value] = matchArguments('isHashed', args, 0, ['value']);
    return isObject(value) && host('svc.isHashed', value);
  }

  function matches(...args) {
    if (args.length < 2) return false;
    const [plain, hashed] = matchArguments('matches', args, 2, ['value', 'value']);
    return host('svc.matches', String(plain), hashed);
  }

  globalThis.svc = {
    create: define('create', 3, 'string', 'string?', 'object'),
    read,
    update: define('update', 3, 'string', 'string?', 'object'),
    patch: define('patch', 3, 'string', 'string?', 'array'),
    delete: define('delete', 2, 'string', 'string?'),
    query,
    action,
    encrypt,
    decrypt,
    hash,
    isEncrypted,
    isHashed,
    matches,
  };
};
