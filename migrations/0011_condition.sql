-- compatible

-- Whoever evaluates an object against conditions holds the lock of their type in common; who changes a condition holds
-- it alone. Lock and list are one round trip: each statement of a volatile function sees what was committed when it
-- begins, and so the list is read after the lock was given.
create function managed_conditions(object_type text, field text)
returns table (id text, condition jsonb)
language plpgsql volatile as $$
begin
  perform pg_advisory_xact_lock_shared(hashtextextended('conditions of managed/' || object_type, 0));
  return query
    select o.id, o.data->field from managed_object o
    where o.type = object_type and coalesce(o.data->>field, '') <> '' order by o.id;
end $$;
comment on function managed_conditions is 'The conditions of all objects of a type that have one, which stay as they are until the end of the transaction';
