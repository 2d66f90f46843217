-- compatible

-- Keys of programs that were made through the REST interface, beside those of authentication.json.
create table auth_api_key (
  id           text collate "C" primary key,
  hash         text not null,
  roles        text[] not null,
  description  text,
  created_by   text not null,
  created_at   timestamptz not null default now(),
  last_used_at timestamptz,
  expires_at   timestamptz
) with (fillfactor = 80);
comment on table auth_api_key is 'One row per key made through /apikey; without its row a key is worth nothing';
comment on column auth_api_key.hash is 'SHA-256 of the key, which is kept nowhere';
comment on column auth_api_key.last_used_at is 'To the minute';

create view svc_api_key as
  select id as api_key, roles, description, created_by, created_at, last_used_at, expires_at,
         coalesce(expires_at <= now(), false) as is_over
  from auth_api_key;
comment on view svc_api_key is 'Keys of programs that were made through /apikey; those of authentication.json stand there';
