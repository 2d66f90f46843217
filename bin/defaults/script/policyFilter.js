/*
 * require('policyFilter').runFilter(): refuses a create or an update whose content breaks a policy, with 403 and the
 * failed requirements as detail. For scripts that see a `request`.
 */
exports.runFilter = function () {
  if (String(identityServer.getProperty('svc.policy.enforcement.enabled', 'true')) !== 'true') {
    return;
  }
  if (request.method !== 'create' && request.method !== 'update') {
    return;
  }
  // A new object has no id yet; the asterisk stands for it.
  var path = request.method === 'create' ? request.resourcePath + '/*' : request.resourcePath;
  var verdict = svc.action('policy/' + path, 'validateObject', request.content, { caller: 'filterEnforcer' });
  if (verdict && !verdict.result) {
    throw { code: 403, message: 'Policy validation failed', detail: verdict };
  }
};
