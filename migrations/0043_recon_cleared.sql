-- compatible

alter table recon_entry add column cleared jsonb;
comment on column recon_entry.cleared is 'Pointers of what the target loses';
