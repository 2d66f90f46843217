/* The name by which newer configurations know ui/resetPassword. */
module.exports = require('ui/resetPassword');
