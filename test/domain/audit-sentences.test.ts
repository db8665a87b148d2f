import assert from 'node:assert/strict'
import { test } from 'node:test'
import { auditActions, isAuditAction, partText, whatOf, whoOf } from '../../src/domain/audit/sentences.ts'
import type { AuditAction, AuditLine } from '../../src/storage/port/index.ts'

/** What the log says to people, word by word. */

const line = (over: Partial<AuditLine> = {}): AuditLine => ({
  id: '1',
  at: 1,
  action: 'sign_in',
  actor_kind: 'account',
  actor_id: 'ada',
  actor_name: 'ada@example.com',
  account_id: 'bob',
  account_email: 'bob@example.com',
  app_id: 'x',
  app_name: 'Ledger',
  store_ids: [7n],
  detail: null,
  address: null,
  request_id: null,
  ...over,
})

const read = (over: Partial<AuditLine>) => whatOf(line(over)).map(partText).join('')

const sentences: Record<AuditAction, [Partial<AuditLine>, string][]> = {
  sign_in: [[{}, 'signed in']],
  sign_in_refused: [
    [{}, 'failed to sign in as bob@example.com'],
    [{ account_id: null }, 'failed to sign in with an unknown email'],
  ],
  sign_out: [[{}, 'signed out']],
  account_created: [
    [{ detail: 'merchant' }, 'created the merchant account bob@example.com'],
    [{ detail: 'sign-up' }, 'signed up as a developer'],
  ],
  account_disabled: [
    [{}, 'disabled the account bob@example.com, which ended its sessions and the access it gave'],
  ],
  account_enabled: [[{}, 'enabled the account bob@example.com']],
  password_changed: [[{}, 'changed the password of bob@example.com, and ended its sessions']],
  password_link_created: [[{}, 'created a link with which bob@example.com can set a password']],
  sessions_ended: [[{}, 'signed out everywhere else']],
  two_factor_on: [[{}, 'turned two-factor authentication on']],
  two_factor_off: [[{}, 'turned two-factor authentication off for bob@example.com']],
  app_created: [[{ detail: 'Ledger' }, 'created the app Ledger']],
  app_changed: [[{ detail: 'name, website' }, 'changed the app Ledger: name, website']],
  app_disabled: [[{}, 'disabled the app Ledger']],
  app_enabled: [[{}, 'enabled the app Ledger']],
  secret_added: [[{}, 'gave the app Ledger a new secret']],
  secret_retired: [[{}, 'retired a secret of the app Ledger']],
  access_allowed: [
    [{}, 'allowed the app Ledger to read the store 7'],
    [{ store_ids: [1n, 2n, 3n] }, 'allowed the app Ledger to read the stores 1, 2 and 3'],
    [
      { store_ids: [1n, 2n, 3n, 4n, 5n, 6n, 7n] },
      'allowed the app Ledger to read the stores 1, 2, 3, 4, 5 and 2 more',
    ],
    [{ store_ids: [1n, 2n, 3n, 4n, 5n] }, 'allowed the app Ledger to read the stores 1, 2, 3, 4 and 5'],
  ],
  access_denied: [[{}, 'denied the app Ledger access']],
  access_changed: [
    [
      { detail: '0 added, 1 removed' },
      'changed what the app Ledger may read to the store 7: 0 added, 1 removed',
    ],
  ],
  access_revoked: [
    [{ account_id: 'ada' }, 'ended the access of the app Ledger to the store 7'],
    [{ account_id: null, store_ids: [] }, 'ended the access of the app Ledger'],
    [
      { store_ids: [], detail: 'the app revoked its refresh token' },
      'ended the access of the app Ledger given by bob@example.com: the app revoked its refresh token',
    ],
  ],
  tokens_ended: [
    [
      { store_ids: [], detail: 'a code was used twice' },
      'ended tokens of the app Ledger given by bob@example.com: a code was used twice',
    ],
  ],
  access_linked: [[{}, 'linked the app Ledger to the store 7']],
  store_moved: [
    [{ detail: 'from a@x.example to nobody' }, 'moved the store 7 from a@x.example to nobody'],
    [{}, 'moved the store 7 to another merchant'],
  ],
  keys_rotated: [
    [{}, 'rotated the signing and cookie keys'],
    [{ detail: 'all older keys abandoned' }, 'rotated the signing and cookie keys: all older keys abandoned'],
  ],
  feed_renewed: [[{}, 'renewed the feed, so that every app that follows changes reads its stores again']],
  switch_set: [[{ detail: 'sign_up on' }, 'turned developer sign-up on']],
  brand_changed: [[{ detail: 'name Harbour POS' }, 'changed the platform’s brand: name Harbour POS']],
  webhook_created: [[{ detail: 'a.example' }, 'added a webhook endpoint to the app Ledger: a.example']],
  webhook_changed: [
    [{ detail: 'a.example disabled' }, 'changed a webhook endpoint of the app Ledger: a.example disabled'],
  ],
  webhook_deleted: [[{ detail: 'a.example' }, 'deleted a webhook endpoint of the app Ledger: a.example']],
  webhooks_paused: [
    [{}, 'paused the webhooks of the app Ledger'],
    [{ app_id: null }, 'stopped all webhooks of the database'],
  ],
  webhooks_resumed: [
    [{}, 'resumed the webhooks of the app Ledger'],
    [{ app_id: null }, 'let the database send webhooks again'],
  ],
}

for (const [action, cases] of Object.entries(sentences)) {
  test(`${action} has a sentence`, () => {
    assert.ok(isAuditAction(action))
    assert.match(auditActions[action].title, /^[A-Z]/)
    for (const [over, said] of cases) assert.equal(read({ ...over, action }), said)
  })
}

test('every action has a sentence, and nothing else is an action', () => {
  assert.deepEqual(Object.keys(sentences).sort(), Object.keys(auditActions).sort())
  for (const text of ['', 'toString', '__proto__', 'sign_in ']) assert.equal(isAuditAction(text), false)
})

test('an account or app that no longer exists has no name, and breaks nothing', () => {
  const nothing = { account_id: null, account_email: null, app_id: null, app_name: null, store_ids: [] }
  for (const action of Object.keys(auditActions) as AuditAction[]) {
    assert.notEqual(read({ ...nothing, action }), '')
  }
  assert.equal(read({ action: 'app_disabled', app_name: null }), 'disabled the app x')
  assert.equal(read({ action: 'account_enabled', account_email: null }), 'enabled the account bob')
})

test('who did it: a person, an app, a command, the server, or somebody', () => {
  const who = (over: Partial<AuditLine>) => partText(whoOf(line(over)))
  assert.equal(who({}), 'ada@example.com')
  assert.equal(who({ actor_id: null, actor_name: null }), 'Someone who was not signed in')
  assert.equal(who({ actor_kind: 'app', actor_id: 'x', actor_name: null }), 'x')
  assert.equal(who({ actor_kind: 'command', actor_id: null, actor_name: 'root' }), 'root on the command line')
  assert.equal(who({ actor_kind: 'server', actor_id: null, actor_name: null }), 'The server')
})
