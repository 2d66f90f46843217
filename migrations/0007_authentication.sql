-- compatible

-- Sessions of callers who logged in for a cookie. The cookie names a row; the row says whether it still holds. Roles
-- that a token brought are kept apart from those of the account, which are read with each request.
create table auth_session (
  id                text primary key,
  authentication_id text not null,
  component         text not null,
  user_id           text not null,
  module            text not null,
  roles             text[] not null,
  credential_stamp  text,
  created_at        timestamptz not null default now(),
  seen_at           timestamptz not null default now(),
  expires_at        timestamptz not null,
  claimed_roles     text[] not null default '{}',
  client_address    text,
  user_agent        text
) with (fillfactor = 70);
create index auth_session_user on auth_session (component, user_id);
create index auth_session_expiry on auth_session (expires_at);
comment on table auth_session is 'One row per session cookie; without its row a cookie is worth nothing';
comment on column auth_session.credential_stamp is 'A hash of the stored password at login: another password ends the session';
comment on column auth_session.seen_at is 'Last use, to the minute; the idle time counts from here';
comment on column auth_session.roles is 'The roles when the session began; each request has those of its own time';
comment on column auth_session.claimed_roles is 'Roles that a bearer token brought; those of the account are not among them';
comment on column auth_session.client_address is 'Where the session was begun, and user_agent with what';

-- A session is listed and ended by a handle, which is worth nothing as a cookie.
create function svc_session_handle(id text) returns text language sql immutable parallel safe
  return encode(sha256(convert_to(id, 'UTF8')), 'hex');
comment on function svc_session_handle is 'By what callers of the REST interface name a session';
create unique index auth_session_handle on auth_session (svc_session_handle(id));

create view svc_session as
  select id, authentication_id, component || '/' || user_id as "user", module, roles, created_at, seen_at, expires_at,
         svc_session_handle(id) as handle, client_address, user_agent
  from auth_session where expires_at > now();
comment on view svc_session is 'Who is logged in with a session cookie';

-- Names by which people log in, in the form in which two that look alike are the same.
create table login_name (
  key        text collate "C" primary key,
  name       text not null,
  collection text collate "C" not null,
  id         text collate "C" not null
);
create index login_name_account on login_name (collection, id);
comment on table login_name is 'One row per account that may log in; the key is what keeps others from a name that looks the same';
comment on column login_name.name is 'As names are compared at the login: without case, width, blanks at the ends and what is not seen';

-- Failed logins, to slow down guessing. Nobody misses them after a crash.
create unlogged table login_failure (
  key           text primary key,
  failures      int not null,
  last_at       timestamptz not null,
  blocked_until timestamptz not null
);
create index login_failure_last on login_failure (last_at);
comment on table login_failure is 'Failed logins by account, by address, and by both; names are hashed, since passwords are typed there by mistake';

-- Where an account has come in from with its password. Such a place is not slowed down by what others do elsewhere.
create table login_address (
  account text collate "C" not null,
  network text collate "C" not null,
  seen_at timestamptz not null default now(),
  primary key (account, network)
);
create index login_address_seen on login_address (seen_at);
comment on table login_address is 'Addresses from which an account has come in with its password within a month; account is a hash of the name';

-- By the same form of a name as the look-up of accounts, which leaves out what is not seen.
create function login_account(name text) returns text language sql immutable parallel safe as $$
  select substr(translate(encode(sha256(convert_to(normalize(lower(btrim(
    regexp_replace(normalize(name, NFKC), U&'[\00AD\034F\061C\115F\1160\17B4\17B5\180B-\180F\200B-\200F\202A-\202E\2060-\206F\3164\FE00-\FE0F\FEFF\FFA0\FFF0-\FFF8\+01BCA0-\+01BCA3\+01D173-\+01D17A\+0E0000-\+0E0FFF]', '', 'g'),
    U&' \0009\000A\000B\000C\000D\1680\2028\2029')), NFKC), 'UTF8')), 'base64'), '+/', '-_'), 1, 22)
$$;
comment on function login_account is 'How a name stands in svc_login_throttle';

-- Counts a failure before the password is compared, unless the caller has to wait, in which case nothing is counted. Rows are
-- locked in the order of their keys. A count of an account or an address is a bucket that drains by one every every_ms:
-- blocked_until is when it has room again.
create function login_reserve(
  of_account text, of_network text, pair_free int, first_ms int, longest_ms int, longest_known_ms int,
  account_free int, address_free int, every_ms int, out wait_ms float8, out known boolean
) language plpgsql as $$
declare
  account_key text := 'account ' || of_account;
  address_key text := 'address ' || of_network;
  pair_key text := 'pair ' || of_account || ' ' || of_network;
  every interval := every_ms * interval '1 ms';
  moment timestamptz;
begin
  known := exists (select from login_address a where a.account = of_account and a.network = of_network);
  insert into login_failure (key, failures, last_at, blocked_until)
  values (account_key, 0, 'epoch', 'epoch'), (address_key, 0, 'epoch', 'epoch'), (pair_key, 0, 'epoch', 'epoch')
  on conflict (key) do nothing;
  perform from login_failure where key in (account_key, address_key, pair_key) order by key for update;
  moment := clock_timestamp();
  select coalesce(max(extract(epoch from f.blocked_until - moment)) * 1000, 0) into wait_ms
  from login_failure f where f.key = pair_key or (not known and f.key in (account_key, address_key));
  if wait_ms > 0 then return; end if;
  wait_ms := 0;
  update login_failure f set
    failures = c.failures,
    last_at = moment,
    blocked_until = case when c.failures < pair_free then moment else moment + interval '1 ms'
      * least(first_ms * power(2, least(c.failures - pair_free, 30)), case when known then longest_known_ms else longest_ms end) end
  from (select case when p.last_at < moment - interval '15 minutes' then 1 else p.failures + 1 end as failures
        from login_failure p where p.key = pair_key) c
  where f.key = pair_key;
  if known then return; end if;
  update login_failure f set
    failures = case when f.last_at < moment - interval '15 minutes' then 1 else f.failures + 1 end,
    last_at = moment,
    blocked_until = every + greatest(f.blocked_until,
      moment - every * case f.key when account_key then account_free else address_free end)
  where f.key in (account_key, address_key);
end $$;

-- The password was right: what was counted for it is taken back, and the place is known from now on.
create function login_give_back(of_account text, of_network text, every_ms int) returns void language plpgsql as $$
declare
  account_key text := 'account ' || of_account;
  address_key text := 'address ' || of_network;
  pair_key text := 'pair ' || of_account || ' ' || of_network;
begin
  perform from login_failure where key in (account_key, address_key, pair_key) order by key for update;
  delete from login_failure where key = pair_key;
  if not exists (select from login_address a where a.account = of_account and a.network = of_network) then
    update login_failure set failures = greatest(0, failures - 1), blocked_until = blocked_until - every_ms * interval '1 ms'
    where key in (account_key, address_key);
  end if;
  insert into login_address as a (account, network) values (of_account, of_network)
  on conflict (account, network) do update set seen_at = now() where a.seen_at < now() - interval '1 day';
end $$;

create view svc_login_throttle as
  select split_part(key, ' ', 1) as kind,
    case when key like 'address %' then null else split_part(key, ' ', 2) end as account,
    case when key like 'address %' then split_part(key, ' ', 2) when key like 'pair %' then split_part(key, ' ', 3) end as address,
    failures, last_at, blocked_until, blocked_until > clock_timestamp() as blocked
  from login_failure;
comment on view svc_login_throttle is 'Failed logins by account, by address, and by both (pair); where account = login_account(''ada'')';
