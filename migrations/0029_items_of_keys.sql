-- compatible

-- What a key has kept goes with it, and its operations are nobody's: the next key of its id must not find them.
create function forget_items_of_keys() returns trigger language plpgsql as $$
begin
  delete from personal_item p using gone g where p.owner = 'apikey/' || g.id;
  update scan_run r set owner = r.owner || ' (deleted)'
  from gone g where r.operation is not null and r.owner = 'apikey/' || g.id;
  return null;
end
$$;
create trigger forget_items_of_keys after delete on auth_api_key referencing old table as gone
  for each statement execute function forget_items_of_keys();

delete from personal_item
where owner like 'apikey/%' and substr(owner, length('apikey/') + 1) not in (select id from auth_api_key);
