/** All counts of accounts from one pass over the table. */
export const countedAccounts = `count(*) filter (where role = 'merchant') as merchants,
  count(*) filter (where role = 'developer') as developers,
  count(*) filter (where role = 'operator') as operators,
  count(disabled_at) as disabled_accounts`
