export const accountColumns = `accounts.id, accounts.email, accounts.role, accounts.password_hash,
  accounts.created_at, accounts.disabled_at`

/** All counts of accounts from one pass over the table. */
export const countedAccounts = `count(*) filter (where role = 'merchant') as merchants,
  count(*) filter (where role = 'developer') as developers,
  count(*) filter (where role = 'operator') as operators,
  count(disabled_at) as disabled_accounts`
