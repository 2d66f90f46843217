/* The name by which newer configurations know ui/onCreateUser. */
module.exports = require('ui/onCreateUser');
