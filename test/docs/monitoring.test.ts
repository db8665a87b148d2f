import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, mock, test } from 'node:test'
import { createAddressRules } from '../../src/domain/webhooks/address.ts'
import { createWebhookEndpoints } from '../../src/domain/webhooks/endpoints.ts'
import { byTest } from '../helpers/by.ts'
import { sampleOrder, sampleStore } from '../helpers/orders.ts'
import { type Receiver, startReceiver } from '../helpers/receiver.ts'
import { startServer, type TestServer } from '../helpers/server.ts'

/** The dashboard and the alert rules ask for nothing that `/metrics` does not have. */

const root = new URL('../../', import.meta.url)
const dashboard = await readFile(new URL('deploy/grafana-dashboard.json', root), 'utf8')
const alerts = await readFile(new URL('deploy/alerts.yaml', root), 'utf8')
const operations = await readFile(new URL('docs/operations.md', root), 'utf8')

const allow = '127.0.0.1'
let server: TestServer
let receiver: Receiver
let metrics: string

before(async () => {
  server = await startServer({ config: { webhook_allow: allow } })
  receiver = await startReceiver()
  await server.get('/integration/v1/stores', await server.token(await server.newApp()))
  await wakeUp()
  // A label is there when there was something to count.
  mock.method(server.storage, 'ping', async () => {
    throw new Error('gone')
  })
  await server.get('/health/ready')
  metrics = (await server.get('/metrics')).text
})

after(async () => {
  await server.close()
  await receiver.close()
})

/** Lets a change end the wait of a request, and makes it a webhook. */
async function wakeUp(): Promise<void> {
  const client = await server.newApp()
  await server.push(sampleStore({ id: 1 }))
  await server.apps.authorize(client.client_id, [1n], byTest)
  const waiting = server.get('/integration/v1/changes?store_id=1&wait=30', await server.token(client))
  while (!(await server.get('/metrics')).text.includes('tillgate_waiting_requests 1')) {
    await new Promise(setImmediate)
  }
  const { storage, clock } = server
  const endpoints = createWebhookEndpoints({ storage, clock, rules: createAddressRules(allow) })
  const { id } = await endpoints.create({ app_id: client.client_id, url: receiver.url, events: [] }, byTest)
  await server.push(sampleOrder({ store_id: 1 }))
  await waiting
  await endpoints.test(id)
  while (!(await server.get('/metrics')).text.includes('tillgate_webhook_deliveries_total{')) {
    await new Promise(setImmediate)
  }
}

const names = (text: string) => new Set(text.match(/\b(?:tillgate|nodejs|process)_[a-z_]+\b/g))

for (const [file, text] of [
  ['deploy/grafana-dashboard.json', dashboard],
  ['deploy/alerts.yaml', alerts],
] as const) {
  test(`${file}: the server exports every metric`, () => {
    assert.ok(names(text).size > 4)
    for (const name of names(text)) {
      assert.ok(new RegExp(`^(?:# TYPE )?${name}[{ ]`, 'm').test(metrics), name)
    }
  })

  test(`${file}: every label that it picks or groups by is one of its metric’s`, () => {
    for (const [, name = '', picked = ''] of text.matchAll(
      /(tillgate_\w+)\{((?:[^{}"\\]|\\"|"[^"]*")*)\}/g,
    )) {
      const labels = new Set([...picked.matchAll(/(\w+)(?:=|!)/g)].map(([, label]) => label))
      // Prometheus adds these itself.
      for (const own of ['instance', 'job']) labels.delete(own)
      for (const label of labels) {
        assert.ok(
          new RegExp(`^${name}\\{[^}]*\\b${label}="`, 'm').test(metrics) || name.endsWith('refused_total'),
          `${name} ${label}`,
        )
      }
    }
  })
}

test('the dashboard is JSON with a title and a description for each panel', () => {
  const { panels } = JSON.parse(dashboard) as {
    panels: { title: string; description: string; targets: unknown[] }[]
  }
  assert.ok(panels.length > 8)
  for (const { title, description, targets } of panels) assert.ok(title && description && targets.length > 0)
})

test('docs/operations.md says of alerts that exist what to do', () => {
  const rules = new Set([...alerts.matchAll(/alert: (\w+)/g)].map(([, name]) => name))
  for (const [name] of operations.matchAll(/\bTillgate[A-Z]\w+/g)) assert.ok(rules.has(name), name)
})
