-- compatible

-- Ends a statement that should have stored more than it has: another one has changed what it depends on.
create function require_rows(stored bigint, expected bigint) returns boolean language plpgsql as $$
begin
  if stored <> expected then
    raise exception 'only % of % rows are as they were when they were read', stored, expected using errcode = 'SV001';
  end if;
  return true;
end
$$;

-- Whether no object of a type has a condition, which stays so until the end of the transaction; false also while
-- somebody changes one: who asks does not wait for that.
create function is_unconditioned(object_type text, field text) returns boolean language plpgsql volatile as $$
begin
  return pg_try_advisory_xact_lock_shared(hashtextextended('conditions of managed/' || object_type, 0))
    and not exists (select from managed_object o where o.type = object_type and coalesce(o.data->>field, '') <> '');
end
$$;
