import assert from 'node:assert/strict'
import { after, suite } from 'node:test'
import type { Storage } from '../../src/storage/port/index.ts'
import { accessTests } from './suite/access.ts'
import { auditTests } from './suite/audit.ts'
import { brandTests } from './suite/brand.ts'
import { browseTests } from './suite/browse.ts'
import { decisionTests } from './suite/decisions.ts'
import { changeTests } from './suite/changes.ts'
import { deepTests } from './suite/deep.ts'
import { check, type Open } from './suite/fixtures.ts'
import { listTests } from './suite/lists.ts'
import { oauthTests } from './suite/oauth.ts'
import { peopleTests } from './suite/people.ts'
import { recordTests } from './suite/records.ts'
import { restTests } from './suite/rest.ts'
import { salesTests } from './suite/sales.ts'
import { sizeTests, usageTests } from './suite/usage.ts'
import { authorizationEventTests } from './suite/webhooks/authorizations.ts'
import { endpointTests } from './suite/webhooks/endpoints.ts'
import { sendingTests } from './suite/webhooks/sending.ts'
import { webhookScopeTests } from './suite/webhooks/scopes.ts'

/**
 * What every engine keeps. `openNew` gives an empty database, and `empty` empties it again; the tests know the port and
 * nothing of what is behind it.
 */
export function storageSuite(name: string, openNew: Open, empty: () => Promise<void>): void {
  suite(name, () => {
    sizeTests(openNew)
    check('ping answers while the database is open and rejects after', openNew, async storage => {
      await storage.ping()
      await storage.close()
      await assert.rejects(storage.ping(), { name: 'StorageUnavailable' })
    })
    const open = reused(openNew, empty)
    suite('accounts, sessions, apps', () => peopleTests(open))
    suite('authorizations and access', () => accessTests(open))
    suite('decisions', () => decisionTests(open))
    suite('artifacts, revoked tokens, keys, throttles, maintenance', () => oauthTests(open))
    suite('audit log and switches', () => auditTests(open))
    suite('brand and logos', () => brandTests(open))
    suite('browsing', () => browseTests(open))
    suite('records', () => recordTests(open))
    suite('changes, heads, receipts', () => changeTests(open))
    suite('lists', () => listTests(open))
    suite('the rest of a page', () => restTests(open))
    suite('deep pages', () => deepTests(open))
    suite('sales', () => salesTests(open))
    suite('usage', () => usageTests(open))
    suite('webhook endpoints', () => endpointTests(open))
    suite('webhooks: events of authorizations', () => authorizationEventTests(open))
    suite('webhooks: what is due, leases and the log', () => sendingTests(open))
    suite('webhooks: scopes', () => webhookScopeTests(open))
  })
}

/** The same database for all tests, emptied before each: opening one takes longer than most of them. */
export function reused(openNew: Open, empty: () => Promise<void>): Open {
  let opened: Promise<Storage> | null = null
  after(async () => (await opened)?.close())
  return async () => {
    if (opened) await empty()
    opened ??= openNew()
    return { ...(await opened), close: async () => {} }
  }
}
