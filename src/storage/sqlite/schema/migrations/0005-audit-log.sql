-- One kind of entry among any number of others: a rotated key among years of sign-ins.
create index audit_entries_by_action on audit_entries (action, id);

-- INSERT OR REPLACE takes a row's place without the delete that is refused.
create trigger audit_entries_never_replaced before insert on audit_entries
when exists (select 1 from audit_entries where id = new.id)
begin
  select raise(abort, 'the audit log is only added to');
end;
