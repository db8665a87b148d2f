-- One kind of entry among any number of others: a rotated key among years of sign-ins.
create index audit_entries_by_action on audit_entries (action, id);
