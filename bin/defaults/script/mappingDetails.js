/* The name by which newer configurations know ui/mappingDetails. */
({ mappings: (svc.read('config/sync') || {}).mappings || [] });
