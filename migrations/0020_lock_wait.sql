-- compatible

-- Whoever waits for a lock in a plain statement holds a snapshot as long as it waits, and nothing that dies meanwhile can
-- be vacuumed away. Nodes wait for one another for days, so they wait in short pieces. The timeout is caught here and
-- not in the node, so that the log of Postgres has no error for each piece.
create function svc_wait_for_lock(class integer, key integer, at_most_ms integer) returns boolean
  language plpgsql as $$
begin
  perform set_config('lock_timeout', at_most_ms::text, true);
  perform pg_advisory_lock(class, key);
  return true;
exception
  when lock_not_available then
    return false;
end
$$;

comment on function svc_wait_for_lock(integer, integer, integer) is
  'Waits for an advisory lock of the session, at most so many milliseconds. Whether it is held now.';
