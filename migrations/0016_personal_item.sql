-- compatible

-- What people keep for themselves: preferences, saved views, drafts.
create table personal_item (
  kind       text collate "C" not null check (kind in ('preference', 'view', 'draft')),
  owner      text collate "C" not null,
  id         text collate "C" not null check (id <> ''),
  rev        bigint not null default 0,
  data       jsonb not null check (jsonb_typeof(data) = 'object'),
  roles      text[] collate "C" not null default '{}',
  updated_at timestamptz not null default now(),
  expires_at timestamptz,
  primary key (owner, kind, id)
);
comment on table personal_item is 'Preferences, saved views and drafts of people; each kind has a bound for each of them';
comment on column personal_item.owner is 'The path of whose it is, such as managed/user/42';
comment on column personal_item.roles is 'Roles whose holders see a view, too';
create unique index personal_item_view on personal_item (id) where kind = 'view';
create index personal_item_shared on personal_item using gin (roles) where kind = 'view';
create index personal_item_expiry on personal_item (expires_at) where expires_at is not null;

-- It goes with whose it is: somebody who comes later under the same id must not find it.
create function forget_personal_items() returns trigger language plpgsql as $$
begin
  delete from personal_item p using gone g where p.owner = tg_argv[0] || g.type || '/' || g.id;
  return null;
end
$$;
create trigger forget_personal_items after delete on managed_object referencing old table as gone
  for each statement execute function forget_personal_items('managed/');
create trigger forget_personal_items after delete on repo_object referencing old table as gone
  for each statement execute function forget_personal_items('repo/');
