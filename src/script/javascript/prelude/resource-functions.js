// svc.create, read, update, patch, delete, query, action.
(sandbox) => {
  const { ask, askOrNull, host, isObject, matchArguments, methodNotFound } = sandbox;
  const { keys } = Object;
  const own = sandbox.signatures.svc;
  /** Parameters, fields and context. */
  const TAIL = 3;
  const [KIND, NUMBER, OTHER] = [1, 2, 3];
  /** What a query itself understands, in lower case. */
  const QUERY_PARAMETERS = {
    __proto__: null,
    _queryid: KIND,
    _queryexpression: KIND,
    _queryfilter: KIND,
    _pagesize: NUMBER,
    _pagedresultsoffset: NUMBER,
    _fields: OTHER,
    _sortkeys: OTHER,
    _pagedresultscookie: OTHER,
    _totalpagedresultspolicy: OTHER,
  };

  function withoutFunctions(args) {
    for (let index = 0; index < args.length; index++) {
      if (typeof args[index] === 'function') return args.filter((value) => typeof value !== 'function');
    }
    return args;
  }

  function badRequest(message) {
    return sandbox.toError({ code: 400, reason: 'Bad Request', message });
  }

  /** Additional parameters are text: numbers and booleans are written out, the rest is refused. */
  function toText(key, value) {
    if (typeof value === 'object') {
      throw badRequest(`The parameter ${key} must be a string, a number or a boolean`);
    }
    return String(value);
  }

  function toParameters(params) {
    if (params === null || params === undefined) return null;
    const result = {};
    for (const key of keys(params)) {
      const value = params[key];
      if (value !== null && value !== undefined) result[key] = toText(key, value);
    }
    return result;
  }

  function toQueryParameters(params) {
    const result = {};
    let kinds = 0;
    for (const key of keys(params)) {
      const value = params[key];
      if (value === null || value === undefined) continue;
      const meaning = QUERY_PARAMETERS[key.toLowerCase()];
      if (meaning === KIND) kinds++;
      if (meaning === NUMBER && typeof value !== 'number') {
        throw badRequest(`The parameter ${key} must be a number`);
      }
      result[key] = meaning === undefined ? toText(key, value) : value;
    }
    if (kinds !== 1) {
      throw badRequest('A query needs exactly one of _queryId, _queryExpression and _queryFilter');
    }
    return result;
  }

  /**
   * A context among the arguments goes to the host as a name. A script can only choose among the contexts that it was
   * given: one that it makes up, or a copy, might name somebody else, and the callee would believe it.
   */
  function nameContext(name, args, index) {
    const context = args[index];
    if (context === undefined || context === null) return;
    const link = sandbox.contextNameOf(context);
    if (link === undefined) throw methodNotFound(name, args);
    args[index] = link;
  }

  function define(name) {
    const operation = `svc.${name}`;
    const signature = own[name];
    const params = signature.types.length - TAIL;
    return (...given) => {
      const args = matchArguments(name, withoutFunctions(given), signature);
      nameContext(name, args, params + 2);
      if (args.length > params) args[params] = toParameters(args[params]);
      return ask(operation, args);
    };
  }

  function read(...given) {
    const args = matchArguments('read', withoutFunctions(given), own.read);
    nameContext('read', args, 3);
    if (args.length > 1) args[1] = toParameters(args[1]);
    return askOrNull('svc.read', args);
  }

  function query(...given) {
    const last = given[given.length - 1];
    const callback = typeof last === 'function' ? last : undefined;
    const args = matchArguments('query', withoutFunctions(given), own.query);
    nameContext('query', args, 3);
    args[1] = toQueryParameters(args[1]);
    const answer = ask('svc.query', args);
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
    const [name, first, second, ...rest] = args;
    // The oldest form, (name, params, content).
    const isOldest = isShifted && typeof first._action === 'string' && !second?._action;
    const shifted = isOldest ? [name, null, second, first, ...rest] : [name, null, first, second, ...rest];
    const matched = matchArguments('action', isShifted ? shifted : args, own.action);
    nameContext('action', matched, 5);
    const [path, actionId, content, params, fields, context] = matched;
    const id = actionId === null ? params?._action : actionId;
    if (typeof id !== 'string') throw badRequest(`An action on ${path} needs an action id`);
    const parameters = toParameters(params);
    if (parameters !== null) delete parameters._action;
    return host('svc.action', path, id, content, parameters, fields, context);
  }

  function encrypt(...args) {
    return host('svc.encrypt', ...matchArguments('encrypt', args, own.encrypt));
  }

  function decrypt(...args) {
    return host('svc.decrypt', ...matchArguments('decrypt', args, own.decrypt));
  }

  function hash(...args) {
    return host('svc.hash', ...matchArguments('hash', args, own.hash));
  }

  function isEncrypted(...args) {
    const [value] = matchArguments('isEncrypted', args, own.isEncrypted);
    return isObject(value) && host('svc.isEncrypted', value);
  }

  function isHashed(...args) {
    const [value] = matchArguments('isHashed', args, own.isHashed);
    return isObject(value) && host('svc.isHashed', value);
  }

  function generateRandomString(...args) {
    return host(
      'svc.generateRandomString',
      ...matchArguments('generateRandomString', args, own.generateRandomString),
    );
  }

  function matches(...args) {
    if (args.length < 2) return false;
    const [plain, hashed] = matchArguments('matches', args, own.matches);
    return host('svc.matches', String(plain), hashed);
  }

  globalThis.svc = {
    create: define('create'),
    read,
    update: define('update'),
    patch: define('patch'),
    delete: define('delete'),
    query,
    action,
    encrypt,
    decrypt,
    hash,
    isEncrypted,
    isHashed,
    matches,
    generateRandomString,
  };
};
