/*
 * What follows when somebody moves or leaves; conf/managed.json names it as the onUpdate hook of users.
 *
 * Who joins gets the roles whose conditions fit, without a script. Who moves to another department keeps those that
 * still fit, gets those that now do, and loses roles that were granted by hand for the old department. Who leaves
 * loses all roles that were granted by hand, and whoever reported to them reports to their manager. All of it is one
 * transaction with the change itself.
 */
var moves = oldObject.department !== object.department;
var leaves = oldObject.accountStatus === 'active' && object.accountStatus === 'inactive';

function isByHand(grant) {
  return (grant._refProperties || {})._grantType !== 'conditional';
}

function edgesOf(property) {
  return svc.query(resourceName + '/' + property, { _queryFilter: 'true' }).result;
}

if (moves || leaves) {
  var roles = object.roles || edgesOf('roles');
  object.roles = roles.filter(function (grant) {
    if (!isByHand(grant)) {
      return true;
    }
    var department = (grant._refProperties || {}).department;
    return !leaves && (!department || department !== oldObject.department);
  });
}

if (leaves) {
  var manager = svc.read(resourceName, {}, ['manager']).manager;
  edgesOf('reports').forEach(function (report) {
    var successor = manager ? { _ref: manager._ref } : null;
    svc.patch(report._ref, null, [
      successor === null
        ? { operation: 'remove', field: '/manager' }
        : { operation: 'replace', field: '/manager', value: successor },
    ]);
  });
}
