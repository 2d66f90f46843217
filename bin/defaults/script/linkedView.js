/*
 * require('linkedView').fetch('managed/user/x'): the object together with the objects of other systems that it is
 * linked to, each with its content, without private properties. Null when there is no such object.
 */
exports.fetch = function (resourcePath) {
  // It is read with the rights of the server, which are nobody's who asks.
  var view = /^(?:managed|system)\//.test(resourcePath) ? readShown(resourcePath) : null;
  if (view === null) {
    return null;
  }
  view.linkedTo = [];
  var mappings = mappingsByLinkType();
  var id = resourcePath.slice(resourcePath.lastIndexOf('/') + 1);
  var quoted = JSON.stringify(id);
  var links = svc.query('repo/link', { _queryFilter: 'firstId eq ' + quoted + ' or secondId eq ' + quoted });
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
        content: readShown(other),
        linkQualifier: link.linkQualifier,
        linkType: link.linkType,
        mappings: [{ name: mapping.name, type: isSource ? 'source' : 'target' }],
      });
    });
  });
  return view;
};

function readShown(resourcePath) {
  var object = svc.read(resourcePath);
  var path = resourcePath.split('/');
  if (object === null || path[0] !== 'managed') {
    return object;
  }
  svc.read('config/managed').objects.forEach(function (type) {
    var properties = (type.name === path[1] && type.schema && type.schema.properties) || {};
    Object.keys(properties).forEach(function (name) {
      if (properties[name].scope === 'private') {
        delete object[name];
      }
    });
  });
  return object;
}

function mappingsByLinkType() {
  var byType = {};
  var sync = svc.read('config/sync');
  ((sync && sync.mappings) || []).forEach(function (mapping) {
    var type = mapping.links || mapping.name;
    byType[type] = (byType[type] || []).concat(mapping);
  });
  return byType;
}
