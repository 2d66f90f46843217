/*
 * For the onDelete hook of users: what they were to be told goes with them. Their processes go on, and their tasks stay
 * for those who manage tasks.
 */
require('ui/notifications').removeAllOf(object);
