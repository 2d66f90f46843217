/* `augmentSecurityContext` of configurations of the field: MANAGED_USER does by itself what this did. */
security;
