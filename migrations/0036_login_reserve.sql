-- compatible

-- Where an account has come in from with its password. Such a place is not slowed down by what others do elsewhere.
create table login_address (
  account text collate "C" not null,
  network text collate "C" not null,
  seen_at timestamptz not null default now(),
  primary key (account, network)
);
create index login_address_seen on login_address (seen_at);
comment on table login_address is 'Addresses from which an account has come in with its password within a month; account is a hash of the name';

create index login_failure_last on login_failure (last_at);

create function login_account(name text) returns text language sql immutable parallel safe as $$
  select substr(translate(encode(sha256(convert_to(lower(btrim(normalize(name, NFKC))), 'UTF8')), 'base64'), '+/', '-_'), 1, 22)
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
