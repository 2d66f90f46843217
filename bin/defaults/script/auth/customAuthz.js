/*
 * require('auth/customAuthz'): conditions about the `request` and the `context` of the script, for `customAuthz` in
 * script/access.js and for endpoints of your own. Rules that only combine them are decided by the server without a
 * script, with the same answers.
 */
var processAccess;

function conditionsOf(request, context) {
  if (!request || !context) return {};
  var security = context.security;
  var roles = security.authorization.roles || [];

  function listOf(value) {
    if (typeof value === 'string') return value.split(',');
    return Array.isArray(value) ? value : [];
  }

  function top(pointer) {
    return String(pointer).replace(/^\//, '').split('/')[0];
  }

  function read(path) {
    return svc.read(path);
  }

  function schemaOf(type) {
    var types = read('config/managed').objects || [];
    for (var i = 0; i < types.length; i++) {
      if (types[i].name === type) return (types[i].schema && types[i].schema.properties) || {};
    }
    return null;
  }

  function patchedProperties() {
    var operations = request.method === 'patch' ? request.patchOperations : null;
    if (request.method === 'action' && request.action === 'patch') {
      if (!Array.isArray(request.content)) return [''];
      operations = request.content;
    }
    if (operations === null) return null;
    var names = [];
    operations.forEach(function (operation) {
      names.push(top(operation.field || ''));
      if (operation.from !== undefined) names.push(top(operation.from));
    });
    return names;
  }

  function isHidden(schema, name) {
    var property = schema[name];
    return (
      isPrivate(property) ||
      (!!property && (property.isVirtual === true || property.returnByDefault === false))
    );
  }

  function isPrivate(property) {
    return !!property && property.scope === 'private';
  }

  function equal(left, right) {
    if (left === right) return true;
    if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null)
      return false;
    var keys = Object.keys(left);
    if (Array.isArray(left) !== Array.isArray(right) || keys.length !== Object.keys(right).length)
      return false;
    return keys.every(function (key) {
      return key in right && equal(left[key], right[key]);
    });
  }

  function changedProperties() {
    var patched = patchedProperties();
    if (patched !== null) return patched;
    var content = request.content;
    if (typeof content !== 'object' || content === null || Array.isArray(content)) return null;
    if (request.method !== 'update') return Object.keys(content);
    var stored = read('repo/' + request.resourcePath) || {};
    var schema = schemaOf(request.resourcePath.split('/')[1]) || {};
    var names = Object.keys(content).concat(Object.keys(stored));
    var isOfTheObject = request.resourcePath.split('/').length === 3;
    var changed = names.filter(function (name) {
      if (name === '_id' || name === '_rev') return false;
      if (!(name in content) && isHidden(schema, name)) return false;
      if (isOfTheObject && isRelationship(schema[name])) return false;
      // Whether it is the stored one is not told.
      if (isPrivate(schema[name])) return true;
      var now = name in content ? content[name] : null;
      var before = name in stored ? stored[name] : null;
      return !equal(now, before);
    });
    return isOfTheObject ? changed.concat(changedReferences(content, schema)) : changed;
  }

  // They are not stored with their object, and a PUT without one that its answer shows clears it.
  function changedReferences(content, schema) {
    var asked = (request.fields || []).map(top);
    var names = Object.keys(schema).filter(function (name) {
      return (
        isRelationship(schema[name]) &&
        (name in content ||
          asked.indexOf(name) >= 0 ||
          asked.indexOf('*_ref') >= 0 ||
          has(schema, name, 'returnByDefault'))
      );
    });
    if (names.length === 0) return [];
    var stored = svc.read(request.resourcePath, null, names) || {};
    return names.filter(function (name) {
      return !equal(orNone(content[name]), orNone(stored[name]));
    });
  }

  // Editors of configurations write truth values as text as well.
  function has(schema, name, flag) {
    return !!schema[name] && (schema[name][flag] === true || schema[name][flag] === 'true');
  }

  function orNone(references) {
    var isEmpty = references === undefined || (Array.isArray(references) && references.length === 0);
    return isEmpty ? null : references;
  }

  function isRelationship(property) {
    return [property, property && property.items].some(function (part) {
      return !!part && [].concat(part.type).indexOf('relationship') >= 0;
    });
  }

  function every(names, holds) {
    return names !== null && names.every(holds);
  }

  function ownPath() {
    return (
      security.authorization.component +
      '/' +
      security.authorization.id.replace(/[%/?#]/g, encodeURIComponent)
    );
  }

  // As others know the caller: by the name of the user, or, where the caller is a key or a token, by its reference.
  function personName() {
    var component = security.authorization.component;
    var isPerson = /^(?:managed\/|(?:repo\/)?internal\/user$)/.test(component);
    return isPerson ? security.authenticationId : component + '/' + security.authorization.id;
  }

  // Null where that name means a managed user, and the caller is another one.
  function nameInProcesses() {
    var name = personName();
    if (security.authorization.component === 'managed/user') return name;
    try {
      var found = svc.query('managed/user', { _queryId: 'for-userName', uid: name }, ['_id']).result;
      return found.length > 0 ? null : name;
    } catch (error) {
      if (error.code === 404) return name;
      throw error;
    }
  }

  // Who works for somebody else has it too.
  function holderOf(task) {
    return task.assignee || task.delegate || null;
  }

  function isCandidate(users, groups, name) {
    return (
      (name !== null && listOf(users).indexOf(name) >= 0) ||
      listOf(groups).some(function (group) {
        return roles.indexOf(group) >= 0;
      })
    );
  }

  function definitionOf(id) {
    return read('workflow/processdefinition/' + encodeURIComponent(id));
  }

  function latestOf(key) {
    var versions = svc.query('workflow/processdefinition', { _queryId: 'filtered-query', key: key }).result;
    versions.sort(function (one, other) {
      return other.version - one.version;
    });
    return versions.length === 0 ? null : definitionOf(versions[0]._id);
  }

  // Whether conf/process-access.json offers it to the caller; without the file it is for the process itself to say.
  function isProcessFor(definition) {
    if (processAccess === undefined) processAccess = read('config/process/access');
    if (processAccess === null) return true;
    return processAccess.workflowAccess.some(function (rule) {
      var check = rule.propertiesCheck;
      var value = definition[check.property];
      return (
        value !== undefined &&
        value !== null &&
        typeof value !== 'object' &&
        new RegExp(check.matches).test(String(value)) &&
        roles.indexOf(check.requiresRole.slice(check.requiresRole.lastIndexOf('/') + 1)) >= 0
      );
    });
  }

  function isOffered(definition) {
    if (definition === null || !isProcessFor(definition)) return false;
    var users = listOf(definition.candidateStarterUsers);
    var groups = listOf(definition.candidateStarterGroups);
    return (users.length === 0 && groups.length === 0) || isCandidate(users, groups, nameInProcesses());
  }

  function isAllowedToStartProcess() {
    var path = request.resourcePath.split('/');
    if (path[1] === 'processdefinition') return isOffered(read('workflow/processdefinition/' + path[2]));
    var content = request.content || {};
    var id = content._processDefinitionId;
    // The id wins over the key, as it does when the process starts.
    if (id === undefined || id === null) {
      return typeof content._key === 'string' && isOffered(latestOf(content._key));
    }
    if (typeof id !== 'string') return false;
    var definition = definitionOf(id);
    if (!isOffered(definition)) return false;
    // Who is shut out by the latest version would else start the one before.
    var latest = latestOf(definition.key);
    if (latest === null) return false;
    return latest._id === definition._id || (latest.suspended === false && isOffered(latest));
  }

  return {
    ownDataOnly: function () {
      return request.resourcePath === ownPath();
    },
    ownRelationshipCollection: function (names) {
      var own = ownPath() + '/';
      var path = request.resourcePath;
      return path.indexOf(own) === 0 && listOf(names).indexOf(path.slice(own.length).split('/')[0]) >= 0;
    },
    disallowQueryExpression: function () {
      return request.method !== 'query' || !request.queryExpression;
    },
    disallowCommandAction: function () {
      return request.method !== 'action' || request.action !== 'command';
    },
    restrictPatchToFields: function (fields) {
      var patched = patchedProperties();
      // An empty patch would only read.
      return (
        every(patched, function (name) {
          return listOf(fields).indexOf(name) >= 0;
        }) && patched.length > 0
      );
    },
    onlyEditableManagedObjectProperties: function (type, further) {
      var schema = schemaOf(type);
      if (schema === null) return false;
      return every(changedProperties(), function (name) {
        return listOf(further).indexOf(name) >= 0 || has(schema, name, 'userEditable');
      });
    },
    reauthIfProtectedAttributeChange: function () {
      var component = security.authorization.component.split('/');
      var schema = component[0] === 'managed' ? schemaOf(component[1]) : null;
      if (schema === null) return true;
      var changed = changedProperties() || Object.keys(schema);
      var isProtected = changed.some(function (name) {
        return has(schema, name, 'isProtected');
      });
      if (!isProtected || security.authorization.reauthenticated === true) return true;
      throw { code: 403, message: 'Access denied' };
    },
    // Whose tasks these are is for the resource to find out from the caller; other queries find those of everybody.
    isQueryForOwnTasks: function () {
      return request.method === 'query' && ['mine', 'claimable', 'team'].indexOf(request.queryId) >= 0;
    },
    isMyTask: function () {
      var task = read(request.resourcePath);
      var name = nameInProcesses();
      return task !== null && name !== null && holderOf(task) === name;
    },
    canUpdateTask: function () {
      var task = read(request.resourcePath);
      if (task === null) return false;
      var name = nameInProcesses();
      var isTheirs = name !== null && (holderOf(task) === name || task.owner === name);
      var candidates = task.candidates || {};
      var isOffered = isCandidate(candidates.candidateUsers, candidates.candidateGroups, name);
      if (request.method !== 'update') return isTheirs || isOffered;
      var content = request.content || {};
      var isRewritten = ['name', 'description', 'owner'].some(function (field) {
        var value = content[field];
        return value !== undefined && value !== null && value !== (task[field] || null);
      });
      return !isRewritten && (isTheirs || (isOffered && holderOf(task) === null));
    },
    isAllowedToStartProcess: isAllowedToStartProcess,
    isOneOfMyWorkflows: isAllowedToStartProcess,
    // Whether conf/ui-configuration.json switches a part of the user interface on.
    checkIfUIIsEnabled: function (part) {
      var settings = (read('config/ui/configuration') || {}).configuration || {};
      return String(settings[part]) === 'true';
    },
    // There is no self-service whose requests could be told from others.
    isSelfServiceRequest: function () {
      return false;
    },
    checkIfProgressiveProfileIsEnabled: function () {
      return false;
    },
    // What belongs to a user beside it, in newer servers of the field, and users of other identity providers are not here.
    ownRelationship: function () {
      return false;
    },
    ownIDP: function () {
      return false;
    },
    hasRole: function (role) {
      return roles.indexOf(role) >= 0;
    },
    nameInProcesses: nameInProcesses,
    isQueryOneOf: function (allowed) {
      return (
        request.method === 'query' && listOf(allowed[request.resourcePath]).indexOf(request.queryId) >= 0
      );
    },
  };
}

module.exports = conditionsOf(
  typeof request === 'undefined' ? null : request,
  typeof context === 'undefined' ? null : context,
);

/* For `augmentSecurityContext` of configurations of the field: tells clients which properties need the password once more. */
Object.defineProperty(module.exports, 'setProtectedAttributes', {
  value: function (security) {
    var types = svc.read('config/managed').objects || [];
    var own = types.filter(function (type) {
      return security.authorization.component === 'managed/' + type.name;
    })[0];
    var schema = (own && own.schema && own.schema.properties) || {};
    security.authorization.protectedAttributeList = Object.keys(schema).filter(function (name) {
      return schema[name].isProtected === true;
    });
    return security;
  },
});

/* The same conditions about another request. */
Object.defineProperty(module.exports, 'of', { value: conditionsOf });
