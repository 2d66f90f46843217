/* For hooks that note when an object was changed last. */
object.lastChanged = { date: new Date().toISOString() };
