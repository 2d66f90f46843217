/*
 * For hooks that note when an object was changed last: as the script itself, or by
 *
 *     require('ui/lastChanged').updateLastChanged(object)
 */
function updateLastChanged(changed) {
  changed.lastChanged = { date: new Date().toISOString() };
}

if (typeof exports === 'object') {
  exports.updateLastChanged = updateLastChanged;
} else {
  updateLastChanged(object);
}
