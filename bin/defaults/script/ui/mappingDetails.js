/* The mappings of conf/sync.json, as they are declared; without that file there are none. */
({ mappings: (svc.read('config/sync') || {}).mappings || [] });
