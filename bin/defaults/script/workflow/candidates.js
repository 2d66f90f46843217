/*
 * require('workflow/candidates').finder(): a function that answers who may have a task, `{users, assignee}`, given the
 * task as `workflow/taskinstance/<id>` shows it. Users are managed or internal ones, as are the roles that groups stand
 * for; who has a role is looked up once for each. Managed users with an internal role are not listed, because nothing
 * knows them from the role's side. Of a role with more than a thousand users the answer has so many, and `truncated`.
 */
exports.finder = function () {
  var FIELDS = ['_id', '_refResourceId', 'userName', 'givenName', 'sn'];
  var MOST = 1000;
  var byName = {};
  var byRole = {};
  var internalUsers;
  // Groups of which not all users are known here.
  var isCut = {};

  function managedUser(user) {
    var name = [user.givenName, user.sn].filter(Boolean).join(' ');
    return {
      _id: user._refResourceId || user._id,
      username: user.userName,
      displayableName: name || user.userName,
    };
  }

  // An internal user has a name and no more.
  function internalUser(user) {
    var name = user.userName || user._id;
    return { _id: user._id, username: name, displayableName: name };
  }

  function named(userName) {
    if (!Object.hasOwn(byName, userName)) {
      var filter = 'userName eq ' + JSON.stringify(userName);
      var managed = svc.query('managed/user', { _queryFilter: filter }, FIELDS).result;
      var internal =
        managed.length > 0 ? null : svc.read('repo/internal/user/' + encodeURIComponent(userName));
      byName[userName] = managed.map(managedUser).concat(internal === null ? [] : [internalUser(internal)]);
    }
    return byName[userName];
  }

  function withRole(role) {
    if (!Object.hasOwn(byRole, role)) byRole[role] = members(role).concat(holders(role));
    return byRole[role];
  }

  // Of a managed role, which knows them; one with the name of an internal role stands for no group of that name.
  function members(role) {
    if (svc.read('repo/internal/role/' + encodeURIComponent(role)) !== null) return [];
    var path = 'managed/role/' + encodeURIComponent(role);
    if (svc.read(path, null, ['_id']) === null) return [];
    var found = svc.query(path + '/authzMembers', { _queryFilter: 'true', _pageSize: MOST }, FIELDS);
    isCut[role] = found.pagedResultsCookie !== null;
    return found.result.map(managedUser);
  }

  // Of an internal role, which only its users know; of those only the internal ones are few enough to be looked through.
  function holders(role) {
    var reference = 'repo/internal/role/' + role;
    if (internalUsers === undefined) {
      internalUsers = svc.query('repo/internal/user', { _queryFilter: 'true', _pageSize: MOST });
    }
    if (internalUsers.pagedResultsCookie !== null) isCut[role] = true;
    return internalUsers.result
      .filter(function (user) {
        return [].concat(user.roles || [], user.authzRoles || []).some(function (held) {
          return held === role || held === reference || (held !== null && held._ref === reference);
        });
      })
      .map(internalUser);
  }

  return function (task) {
    var candidates = task.candidates || {};
    // Whoever has it may keep it.
    var holders = [task.assignee || task.delegate, task.owner].filter(Boolean);
    var all = holders
      .concat(candidates.candidateUsers || [])
      .map(named)
      .concat((candidates.candidateGroups || []).map(withRole));
    var seen = {};
    var users = [].concat.apply([], all).filter(function (user) {
      var isNew = !Object.hasOwn(seen, user.username);
      seen[user.username] = true;
      return isNew;
    });
    users.sort(function (left, right) {
      return left.username < right.username ? -1 : 1;
    });
    var answer = { users: users, assignee: task.assignee || task.delegate || null };
    if (
      (candidates.candidateGroups || []).some(function (group) {
        return isCut[group];
      })
    )
      answer.truncated = true;
    return answer;
  };
};
