-- compatible

-- Whether somebody may start so many processes more, which stays so until the end of the transaction; false also while
-- somebody else starts one in their name: who asks does not wait for that. What the transaction itself has started is
-- among those asked for.
create function has_room(starter text, more int, allowed int) returns boolean language plpgsql volatile as $$
begin
  return pg_try_advisory_xact_lock(hashtextextended('starts of ' || starter, 0))
    and more + (select count(*)
                from (select from workflow_instance
                      where start_user_id = starter and ended_at is null and super_instance_id is null
                        and xmin is distinct from pg_current_xact_id_if_assigned()::xid
                      limit allowed) found) <= allowed;
end
$$;
