/* The name by which newer configurations know ui/onUpdateUser. */
module.exports = require('ui/onUpdateUser');
