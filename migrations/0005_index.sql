-- compatible

-- Indexes on properties are made and dropped by the server, from managed.json; their comment says what for.
create view svc_index as
  select c.relname as name,
         obj_description(c.oid)::jsonb->>'type' as type,
         obj_description(c.oid)::jsonb->>'property' as property,
         a.amname as method,
         i.indisvalid as ready,
         pg_size_pretty(pg_relation_size(c.oid)) as size,
         coalesce(s.idx_scan, 0) as scans
  from pg_index i
  join pg_class c on c.oid = i.indexrelid
  join pg_am a on a.oid = c.relam
  left join pg_stat_user_indexes s on s.indexrelid = c.oid
  where c.relname like 'managed\_%\_auto'
    and c.relnamespace = current_schema()::regnamespace
  order by 2, 3;
comment on view svc_index is 'Indexes on properties of managed objects: those that are searchable or that queries by name ask for';
