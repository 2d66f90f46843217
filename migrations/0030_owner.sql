-- compatible

-- Whose word it is that somebody is the owner of what is kept here: another issuer gives the same id to somebody else, and so does
-- another key of authentication.json.
create table auth_owner (
  owner    text collate "C" primary key,
  told_by  text not null,
  noted_at timestamptz not null default now()
);
comment on table auth_owner is 'Who has come in last as an owner whom the database does not know by itself';
comment on column auth_owner.owner is 'The component of the callers of an issuer, such as openid, or a key of authentication.json';
comment on column auth_owner.told_by is 'Who told them apart, and by what; a digest of a key';

-- What a key of authentication.json has kept goes with it, as with those of /apikey.
create function forget_items_of_configured_keys() returns trigger language plpgsql as $$
begin
  delete from personal_item p using gone g where p.owner = g.owner;
  delete from auth_session s using gone g where s.component || '/' || s.user_id = g.owner;
  update scan_run r set owner = r.owner || ' (deleted)'
  from gone g where r.operation is not null and r.owner = g.owner;
  return null;
end
$$;
create trigger forget_items_of_configured_keys after delete on auth_owner referencing old table as gone
  for each statement execute function forget_items_of_configured_keys();
