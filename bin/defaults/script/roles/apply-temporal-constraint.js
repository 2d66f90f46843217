/*
 * Runs when something begins or ceases to be in effect, and has those checked whom it concerns: the object
 * `object.resource`, or all objects that its relationship `object.property` leads to.
 */
var check = require('roles/check');

if (!object.property) {
  check.checkOne(object.resource);
} else if (svc.read(object.resource, {}, ['_id']) !== null) {
  check.checkRelated(object.resource, object.property);
}
