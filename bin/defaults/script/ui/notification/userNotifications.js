/* The endpoint of ui/usernotifications, by the name that other configurations give it. */
require('ui/notifications').answer(request, context);
