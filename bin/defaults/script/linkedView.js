/*
 * require('linkedView').fetch('managed/user/x'): the object together with the objects of other systems that it is
 * linked to, each with its content. Null when there is no such object.
 */
exports.fetch = function (resourcePath) {
  var view = svc.read(resourcePath);
  if (view === null) {
    return null;
  }
  view.linkedTo = [];
  var mappings = mappingsByLinkType();
  var id = resourcePath.slice(resourcePath.lastIndexOf('/') + 1);
  var links = svc.query('repo/link', { _queryFilter: 'firstId eq "' + id + '" or secondId eq "' + id + '"' });
  links.result.forEach(function (link) {
    (mappings[link.linkType] || []).forEach(function (mapping) {
      var isSource = link.firstId === id && resourcePath === mapping.source + '/' + id;
      var isTarget = link.secondId === id && resourcePath === mapping.target + '/' + id;
      if (!isSource && !isTarget) {
        return;
      }
      var other = isSource ? mapping.target + '/' + link.secondId : mapping.source + '/' + link.firstId;
      view.linkedTo.push({
        resourceName: other,
        content: svc.read(other),
        linkQualifier: link.linkQualifier,
        linkType: link.linkType,
        mappings: [{ name: mapping.name, type: isSource ? 'source' : 'target' }],
      });
    });
  });
  return view;
};

function mappingsByLinkType() {
  var byType = {};
  var sync = svc.read('config/sync');
  ((sync && sync.mappings) || []).forEach(function (mapping) {
    var type = mapping.links || mapping.name;
    byType[type] = (byType[type] || []).concat(mapping);
  });
  return byType;
}
