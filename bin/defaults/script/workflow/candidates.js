/*
 * require('workflow/candidates').finder(): a function that answers who may have a task, `{users, assignee}`, given the
 * task as `workflow/taskinstance/<id>` shows it. Groups are those of managed roles, whose users are looked up once for
 * each role; who has an internal role is not listed, because nothing knows it from the role's side.
 */
exports.finder = function () {
  var FIELDS = ['_id', '_refResourceId', 'userName', 'givenName', 'sn'];
  var byName = {};
  var byRole = {};

  function userOf(user) {
    var name = [user.givenName, user.sn].filter(Boolean).join(' ');
    return {
      _id: user._refResourceId || user._id,
      username: user.userName,
      displayableName: name || user.userName,
    };
  }

  function named(userName) {
    if (!Object.hasOwn(byName, userName)) {
      var filter = 'userName eq ' + JSON.stringify(userName);
      byName[userName] = svc.query('managed/user', { _queryFilter: filter }, FIELDS).result.map(userOf);
    }
    return byName[userName];
  }

  function withRole(role) {
    if (!Object.hasOwn(byRole, role)) {
      var path = 'managed/role/' + encodeURIComponent(role);
      var isManaged = svc.read(path, null, ['_id']) !== null;
      var members = isManaged
        ? svc.query(path + '/authzMembers', { _queryFilter: 'true' }, FIELDS).result
        : [];
      byRole[role] = members.map(userOf);
    }
    return byRole[role];
  }

  return function (task) {
    var candidates = task.candidates || {};
    var all = (candidates.candidateUsers || [])
      .map(named)
      .concat((candidates.candidateGroups || []).map(withRole));
    var seen = {};
    var users = [].concat.apply([], all).filter(function (user) {
      var isNew = !Object.hasOwn(seen, user._id);
      seen[user._id] = true;
      return isNew;
    });
    users.sort(function (left, right) {
      return left.username < right.username ? -1 : 1;
    });
    return { users: users, assignee: task.assignee || task.delegate || null };
  };
};
