-- compatible

-- What no node writes is refused, whoever comes with it: rows that cannot be held, or after which no other could come.
-- Rows that are there already are not looked at: svc audit verify tells of them.
alter table audit_event add constraint audit_event_is_sound check (
  recorded_at >= '0001-01-01T00:00:00Z' and recorded_at < '9999-01-01T00:00:00Z'
  and char_length(transaction_id) <= 4000 and coalesce(char_length(user_id), 0) <= 4000
  and coalesce(char_length(object_id), 0) <= 4000
  and coalesce(octet_length(node), 0) <= 400 and coalesce(octet_length(signature), 0) <= 400
  and jsonb_typeof(event) = 'object' and pg_column_size(event) <= 33554432) not valid;

alter table audit_unsealed add constraint audit_unsealed_is_sound check (
  recorded_at >= '0001-01-01T00:00:00Z' and recorded_at < '9999-01-01T00:00:00Z'
  and coalesce(octet_length(node), 0) <= 400 and coalesce(octet_length(signature), 0) <= 400) not valid;

alter table audit_seal add constraint audit_seal_is_sound check (
  number between 1 and 9007199254740991 and part > 0
  and month >= '0001-01-01T00:00:00Z' and month < '9999-01-01T00:00:00Z'
  and sealed_at >= '0001-01-01T00:00:00Z' and sealed_at < '9999-01-01T00:00:00Z'
  and cardinality(ids) <= 1000 and coalesce(array_ndims(ids), 1) = 1 and coalesce(array_lower(ids, 1), 1) = 1
  and array_position(ids, null) is null
  and octet_length(node) <= 400 and octet_length(previous) <= 400 and octet_length(digest) <= 400
  and octet_length(signature) <= 400) not valid;
