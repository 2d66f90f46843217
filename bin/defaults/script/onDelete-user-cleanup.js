/* The name by which newer configurations know ui/onDelete-user-cleanup. */
require('ui/notifications').removeAllOf(object);
